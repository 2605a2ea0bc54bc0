#pragma once

#include "spec/document.hpp"

#include <string_view>

namespace ydl::spec {

// Strict JSON is not left to the YAML parser, which does not support surrogate pairs ("\ud83d\ude00"): the way most
// JSON libraries write what is outside the basic plane.
//
// `text` does not follow JSON's grammar. Thrown apart from Refusal because the same text may be good YAML.
struct NotJson {
  int line;
  std::string sentence;
};

// The tree of the JSON value in `text`. Throws Refusal or NotJson.
[[nodiscard]] TreeNode read_json(std::string_view text);

}  // namespace ydl::spec
