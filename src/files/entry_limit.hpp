#pragma once

#include "core/error.hpp"

#include <cstddef>
#include <filesystem>

namespace ydl::files {

// More entries than this in one directory are data, not a program's folder: linking them one by one would take long.
inline constexpr std::size_t kMostLinkedEntries = 10'000;

// Why a directory with more of them is refused.
[[nodiscard]] core::Error too_many_entries(const std::filesystem::path& directory);

}  // namespace ydl::files
