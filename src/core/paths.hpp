#pragma once

#include <algorithm>
#include <filesystem>

namespace ydl::core {

// Whether a path is a folder or below it. Both as they are written: links and ".." are not followed.
[[nodiscard]] inline bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

}  // namespace ydl::core
