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

// Reads a log file as it grows, a bounded piece per call. A file that is not there yet is empty; one that was cut or
// replaced is read from its start.
class LogTail {
 public:
  static constexpr std::size_t kPiece = std::size_t{256} << 10U;

  struct Update {
    std::size_t bytes = 0;  // read by this call
    bool more = false;      // there is more to read now
  };

  explicit LogTail(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] core::Result<Update> poll();
  [[nodiscard]] std::string last_line() const { return lines_.last_line(); }
  [[nodiscard]] const std::optional<Progress>& progress() const { return lines_.progress(); }
  [[nodiscard]] std::uint64_t checkpoints() const { return lines_.checkpoints(); }
  // How far the file was read.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

 private:
  // Makes fd_ the file that the path names now; false when nothing in it is unread.
  [[nodiscard]] core::Result<bool> follow();
  [[nodiscard]] bool open_file_grew() const;
  void start_again();

  std::filesystem::path path_;
  core::UniqueFd fd_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::uint64_t offset_ = 0;
  std::string buffer_;
  LogLines lines_;
};

// What is in a log now. One that is not there yet is empty.
struct LogSlice {
  std::string bytes;
  std::uint64_t size = 0;  // of the whole file
};
[[nodiscard]] core::Result<LogSlice> read_slice(const std::filesystem::path& path, std::uint64_t offset,
                                                std::size_t most_bytes);

// The last `count` lines of a file as they are, without their newlines; fewer when they do not fit in `most_bytes`, of
// which the first may then be cut. Reads backwards, so that a huge file costs no more than a small one.
[[nodiscard]] core::Result<std::vector<std::string>> last_lines(const std::filesystem::path& path, std::size_t count,
                                                                std::size_t most_bytes = std::size_t{1} << 20U);

}  // namespace ydl::files
