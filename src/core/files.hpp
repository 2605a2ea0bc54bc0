#pragma once

#include "core/result.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>

namespace ydl::core {

// Owns one file descriptor.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) noexcept : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept;
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { reset(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }
  void reset() noexcept;

 private:
  int fd_ = -1;
};

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

// Both ends are closed by exec.
[[nodiscard]] Result<Pipe> make_pipe();

// Reads a whole file. A file longer than `limit` bytes is an Error. Also works for files in /proc, whose size is
// reported as 0.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path,
                                            std::size_t limit = std::size_t{64} << 20U);

// Writes a file so that a reader sees either the old or the new content, never a part of it. There is no fsync: after a
// power failure the file may be broken, and all readers of our files handle that as an error.
[[nodiscard]] Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content,
                                                 mode_t mode = 0644);

// Writes all of `bytes`, retrying after interruptions and short writes.
[[nodiscard]] Result<void> write_all(int fd, std::string_view bytes);

// Creates a directory and its parents. The Error names the directory that could not be created.
[[nodiscard]] Result<void> make_directories(const std::filesystem::path& path, mode_t mode = 0755);

}  // namespace ydl::core
