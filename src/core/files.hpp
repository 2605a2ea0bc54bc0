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

// A pipe whose ends do not survive an exec.
[[nodiscard]] Result<Pipe> make_pipe();

// The whole file; an Error when it is longer than `limit` bytes. Proc files, which have no size, are read too.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path,
                                            std::size_t limit = std::size_t{64} << 20U);

// Writes a file so that a reader sees the old content or the new, never a part. It is not forced to the disk: readers
// of our files bear a broken one after a power cut.
[[nodiscard]] Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content,
                                                 mode_t mode = 0644);

// All of `bytes` to a descriptor, over interruptions and short writes.
[[nodiscard]] Result<void> write_all(int fd, std::string_view bytes);

// Makes a directory and its parents; an Error names the one that could not be made.
[[nodiscard]] Result<void> make_directories(const std::filesystem::path& path, mode_t mode = 0755);

}  // namespace ydl::core
