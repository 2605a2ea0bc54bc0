#include "client/log_clock.hpp"

#include <array>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

namespace ydl::client {
namespace {

// An agent writes at most files::LogTimesPlan::kLargest bytes; the copy on HDFS may have those of several attempts.
constexpr std::uint64_t kLargestIndex = std::uint64_t{64} << 20U;

}  // namespace

LogClock::LogClock(const std::filesystem::path& log) : path_(log.string() + std::string(files::kTimesSuffix)) {}

const files::LogTime* LogClock::peek() {
  if (next_ < entries_.size()) return &entries_[next_];
  entries_.clear();
  next_ = 0;
  const core::UniqueFd fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (!fd) return nullptr;
  std::array<char, 1024> piece{};
  while (entries_.empty() && offset_ < kLargestIndex) {
    const auto n = ::pread(fd.get(), piece.data(), piece.size(), static_cast<off_t>(offset_));
    if (n <= 0) return nullptr;
    offset_ += static_cast<std::uint64_t>(n);
    entries_ = decoder_.feed(std::string_view(piece.data(), static_cast<std::size_t>(n)));
  }
  if (entries_.empty()) return nullptr;
  has_entries_ = true;
  return &entries_.front();
}

void LogClock::restart() {
  offset_ = 0;
  decoder_ = {};
  entries_.clear();
  next_ = 0;
}

}  // namespace ydl::client
