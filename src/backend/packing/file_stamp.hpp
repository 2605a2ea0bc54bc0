#pragma once

#include "core/clock.hpp"

#include <cstdint>
#include <string>

struct stat;

namespace ydl::backend {

// Shows without reading a file whether it has changed: every write, replacement or change of its times changes the
// stamp.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // of content, name, mode or times; programs cannot set it

  bool operator==(const FileStamp&) const = default;

  // "device:inode:size:modified:changed".
  [[nodiscard]] std::string key() const;
  // Whether a later write would change the stamp. The clock of a file system has a step, which may be a second: a
  // second write within the same step leaves the same times.
  [[nodiscard]] bool is_settled(core::WallTime now) const;
};

[[nodiscard]] FileStamp stamp_of(const struct stat& status);

}  // namespace ydl::backend
