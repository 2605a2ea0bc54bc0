#include "backend/packing/file_stamp.hpp"

#include <algorithm>
#include <sys/stat.h>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

constexpr core::Millis kLongestClockStep{2'000};

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::string FileStamp::key() const {
  return fmt::format("{:x}:{}:{}:{}:{}", device, inode, size, modified_ns, changed_ns);
}

bool FileStamp::is_settled(core::WallTime now) const {
  const auto last = std::chrono::nanoseconds(std::max(modified_ns, changed_ns));
  return now.time_since_epoch() - last > kLongestClockStep;
}

FileStamp stamp_of(const struct stat& status) {
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = static_cast<std::uint64_t>(status.st_size),
          .modified_ns = nanoseconds(status.st_mtim),
          .changed_ns = nanoseconds(status.st_ctim)};
}

}  // namespace ydl::backend
