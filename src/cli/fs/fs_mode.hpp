#pragma once

#include "core/result.hpp"

#include <cstdint>
#include <string_view>

namespace ydl::cli {

// Applies chmod's MODE to a mode: "640", "1777", "u+x", "go-w,a+r", "=rw". X means x for directories and for files that
// already have an x. Errors: usage.
enum class IsDirectory { no, yes };
[[nodiscard]] core::Result<std::uint32_t> apply_mode(std::string_view text, std::uint32_t mode, IsDirectory directory);

}  // namespace ydl::cli
