#pragma once

#include "core/files.hpp"

#include <filesystem>
#include <string_view>

namespace ydl::master {

// A file of lines that grows at its end, and never has a part of what was appended to it: a disk that is full in the
// middle of a line would otherwise spoil the next one too.
class LineFile {
 public:
  explicit LineFile(const std::filesystem::path& path);

  // Whole lines, all or nothing. Errors: io, with the file's name; a file that could not be opened is tried again.
  [[nodiscard]] core::Result<void> append(std::string_view lines);

 private:
  std::filesystem::path path_;
  core::UniqueFd fd_;
};

}  // namespace ydl::master
