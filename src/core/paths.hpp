#pragma once

#include <algorithm>
#include <filesystem>

namespace ydl::core {

// Whether `path` is `folder` or lies below it. Compares the names only: links and ".." are not resolved.
[[nodiscard]] inline bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

}  // namespace ydl::core
