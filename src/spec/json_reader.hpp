#pragma once

#include "spec/document.hpp"

#include <string_view>

namespace ydl::spec {

// Strict JSON is not read with the YAML parser, because that does not support surrogate pairs ("\ud83d\ude00"), with
// which most JSON libraries write characters outside the basic plane.
//
// `text` is not valid JSON. A separate type from Refusal, because the same text may be valid YAML.
struct NotJson {
  int line;
  std::string sentence;
};

// Parses the JSON value in `text`. Throws Refusal or NotJson.
[[nodiscard]] TreeNode read_json(std::string_view text);

}  // namespace ydl::spec
