#pragma once

#include "core/files.hpp"
#include "core/result.hpp"
#include "files/log_lines.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ydl::files {

// Reads a log file as it grows, at most kPiece bytes per call. A file that does not exist yet counts as empty. After
// the file was truncated or replaced, reading starts again at its beginning.
class LogTail {
 public:
  static constexpr std::size_t kPiece = std::size_t{256} << 10U;

  struct Update {
    std::size_t bytes = 0;  // read by this call
    bool more = false;      // more bytes can be read immediately
  };

  explicit LogTail(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] core::Result<Update> poll();
  [[nodiscard]] std::string last_line() const { return lines_.last_line(); }
  // What was read so far.
  [[nodiscard]] const LogLines& lines() const { return lines_; }
  // The number of bytes read so far.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  // What the last poll() found the file to have, which may be more than it read.
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  // Makes fd_ refer to the file that the path names now. Returns whether it has unread bytes.
  [[nodiscard]] core::Result<bool> follow();
  [[nodiscard]] bool open_file_grew() const;
  void start_again();

  std::filesystem::path path_;
  core::UniqueFd fd_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t size_ = 0;
  std::string buffer_;
  LogLines lines_;
};

// A part of a log as it is now. A log that does not exist yet counts as empty.
struct LogSlice {
  std::string bytes;
  std::uint64_t size = 0;  // of the whole file
};
[[nodiscard]] core::Result<LogSlice> read_slice(const std::filesystem::path& path, std::uint64_t offset,
                                                std::size_t most_bytes);

// The last `count` lines of a file, unchanged but without their newlines. If they do not fit in `most_bytes`, there are
// fewer, and the first one may be incomplete. Reads backwards from the end, so that the cost does not depend on the
// size of the file.
[[nodiscard]] core::Result<std::vector<std::string>> last_lines(const std::filesystem::path& path, std::size_t count,
                                                                std::size_t most_bytes = std::size_t{1} << 20U);

}  // namespace ydl::files
