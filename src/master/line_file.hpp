#pragma once

#include "core/files.hpp"

#include <filesystem>
#include <string_view>

namespace ydl::master {

// A file to which lines are appended completely or not at all. Otherwise a disk that becomes full in the middle of a
// line would also damage the next line.
class LineFile {
 public:
  explicit LineFile(const std::filesystem::path& path);

  // Appends complete lines, all of them or none. Errors: io, naming the file; opening the file is tried again at the
  // next call.
  [[nodiscard]] core::Result<void> append(std::string_view lines);

 private:
  std::filesystem::path path_;
  core::UniqueFd fd_;
};

}  // namespace ydl::master
