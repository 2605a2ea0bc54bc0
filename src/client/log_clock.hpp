#pragma once

#include "core/clock.hpp"
#include "core/files.hpp"
#include "files/log_times.hpp"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace ydl::client {

// The entries of a log's index, one after the other, read in small pieces: of ten thousand logs only a few entries each
// are in memory, and none of their files is open between two calls.
class LogClock {
 public:
  // `log`: the log itself. It may have no index.
  explicit LogClock(const std::filesystem::path& log);

  // The next entry, or null where there is none yet.
  [[nodiscard]] const files::LogTime* peek();
  void pop() { ++next_; }
  // The log has been cut by its task, and its index with it.
  void restart();
  [[nodiscard]] bool has_entries() const { return has_entries_; }

 private:
  std::filesystem::path path_;
  std::uint64_t offset_ = 0;
  files::LogTimesDecoder decoder_;
  std::vector<files::LogTime> entries_;
  std::size_t next_ = 0;
  bool has_entries_ = false;
};

}  // namespace ydl::client
