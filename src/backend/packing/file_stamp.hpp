#pragma once

#include "core/clock.hpp"

#include <cstdint>
#include <string>

struct stat;

namespace ydl::backend {

// What tells, without reading it, that a file is the one it was: any write, replacement or change of times shows.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // of content, name, mode or times; nobody can set it

  bool operator==(const FileStamp&) const = default;

  // "device:inode:size:modified:changed".
  [[nodiscard]] std::string key() const;
  // Whether a later write would show. A clock ticks in steps: a write in the same step as the last one leaves the same
  // times, and some file systems' steps are a second long.
  [[nodiscard]] bool is_settled(core::WallTime now) const;
};

[[nodiscard]] FileStamp stamp_of(const struct stat& status);

}  // namespace ydl::backend
