#pragma once

#include "spec/document.hpp"

#include <string_view>

namespace ydl::spec {

// Parses the single YAML document in `text`, which must be valid UTF-8 without control characters. Throws Refusal.
[[nodiscard]] TreeNode read_yaml(std::string_view text);

}  // namespace ydl::spec
