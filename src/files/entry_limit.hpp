#pragma once

#include "core/error.hpp"

#include <cstddef>
#include <filesystem>

namespace ydl::files {

// A directory with more entries than this contains data and is not the folder of a program. Linking that many entries
// one by one would take long.
inline constexpr std::size_t kMostLinkedEntries = 10'000;

// The error for a directory with more entries.
[[nodiscard]] core::Error too_many_entries(const std::filesystem::path& directory);

}  // namespace ydl::files
