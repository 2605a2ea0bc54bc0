#include "files/log_times.hpp"

#include "core/strings.hpp"

#include <utility>

#include <fmt/format.h>

namespace ydl::files {
namespace {

constexpr std::size_t kLongestLine = 64;
constexpr std::uint64_t kLargestOffset = std::uint64_t{1} << 53U;
constexpr std::int64_t kLatestTime = 253'402'300'799'999;  // the end of the year 9999
constexpr core::Millis kPeriod = core::Seconds(1);
constexpr core::Millis kSparsePeriod = core::Seconds(60);

}  // namespace

std::string encode(const LogTime& entry) {
  return fmt::format("{} {}\n", entry.offset, entry.time.time_since_epoch().count());
}

std::vector<LogTime> LogTimesDecoder::feed(std::string_view bytes) {
  std::vector<LogTime> entries;
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto piece = bytes.substr(0, end);
    if (line_.size() + piece.size() > kLongestLine) is_too_long_ = true;
    if (!is_too_long_) line_ += piece;
    if (end == std::string_view::npos) break;
    if (!std::exchange(is_too_long_, false)) take(line_, entries);
    line_.clear();
    bytes.remove_prefix(end + 1);
  }
  return entries;
}

void LogTimesDecoder::take(std::string_view line, std::vector<LogTime>& entries) {
  const auto space = line.find(' ');
  if (space == std::string_view::npos) return;
  const auto offset = core::parse_int<std::uint64_t>(line.substr(0, space));
  const auto millis = core::parse_int<std::int64_t>(line.substr(space + 1));
  if (!offset || !millis || *offset > kLargestOffset || *millis < 0 || *millis > kLatestTime) return;
  const auto base = *offset < last_ ? base_ + last_ : base_;
  if (base + *offset > kLargestOffset) return;
  base_ = base;
  last_ = *offset;
  entries.push_back({base_ + last_, core::WallTime(core::Millis(*millis))});
}

LogTimesPlan::Step LogTimesPlan::look(std::uint64_t size, core::Instant now, core::WallTime wall) {
  Step step;
  if (size < size_) {
    *this = LogTimesPlan();
    step.begins_anew = true;
  }
  if (size > size_) pending_ = LogTime{size, wall};
  size_ = size;
  const auto period = written_ < kDense ? kPeriod : kSparsePeriod;
  if (!pending_ || (last_entry_ && now - *last_entry_ < period)) return step;
  last_entry_ = now;
  step.bytes = write_pending();
  return step;
}

std::string LogTimesPlan::finish() {
  return pending_ ? write_pending() : std::string();
}

std::string LogTimesPlan::write_pending() {
  auto bytes = encode(*std::exchange(pending_, std::nullopt));
  if (written_ + bytes.size() > kLargest) return {};
  written_ += bytes.size();
  return bytes;
}

}  // namespace ydl::files
