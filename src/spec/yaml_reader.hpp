#pragma once

#include "spec/document.hpp"

#include <string_view>

namespace ydl::spec {

// The tree of the one YAML document in `text`, which is valid UTF-8 without control characters. Throws Refusal.
[[nodiscard]] TreeNode read_yaml(std::string_view text);

}  // namespace ydl::spec
