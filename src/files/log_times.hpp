#pragma once

#include "core/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The index of a log: when the log grew. It lies beside the log, as `stdout.times`, one line of text per entry:
//
//   OFFSET MILLISECONDS\n      at that time (UTC, since 1970) the log had that many bytes
//
// So the bytes before OFFSET, from the OFFSET of the entry before it on, were written at that time or shortly before.
namespace ydl::files {

inline constexpr std::string_view kTimesSuffix = ".times";  // of the name of an index, after the name of its log

struct LogTime {
  std::uint64_t offset = 0;
  core::WallTime time;

  auto operator<=>(const LogTime&) const = default;
};

[[nodiscard]] std::string encode(const LogTime& entry);

// Reads the entries of an index in pieces of any size. What is not an entry is skipped; an entry whose end is missing
// waits for it. Times may go backwards, as clocks do. An offset that is smaller than the one before it begins the log
// anew: a copy on HDFS has what the log held before and behind it what it holds since then, so offsets go on there.
class LogTimesDecoder {
 public:
  [[nodiscard]] std::vector<LogTime> feed(std::string_view bytes);

 private:
  void take(std::string_view line, std::vector<LogTime>& entries);

  std::string line_;  // as far as it came
  bool is_too_long_ = false;
  std::uint64_t base_ = 0;
  std::uint64_t last_ = 0;  // the offset of the last entry, without the base
};

// Decides which entries the index of a growing log gets: one for each growth, but at most one a second, and fewer once
// the index is large. Pure: sizes and times are arguments.
class LogTimesPlan {
 public:
  static constexpr std::uint64_t kDense = std::uint64_t{1} << 20U;  // bytes of entries a second apart: about 14 hours
  static constexpr std::uint64_t kLargest = std::uint64_t{8} << 20U;

  struct Step {
    bool begins_anew = false;  // the task has cut its log: the index that there is describes bytes that are gone
    std::string bytes;         // to append to the index
  };
  // The log has `size` bytes now.
  [[nodiscard]] Step look(std::uint64_t size, core::Instant now, core::WallTime wall);
  // The log grows no more: the entry that waits for its second.
  [[nodiscard]] std::string finish();

 private:
  [[nodiscard]] std::string write_pending();

  std::uint64_t size_ = 0;
  std::uint64_t written_ = 0;  // bytes of the index
  std::optional<LogTime> pending_;
  std::optional<core::Instant> last_entry_;
};

}  // namespace ydl::files
