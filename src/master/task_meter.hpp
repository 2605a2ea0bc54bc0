#pragma once

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "master/time_left.hpp"
#include "protocol/reports.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace ydl::master {

// Measurements of a task's current attempt: the time it needs, what it uses, and when it last wrote. Pure.
class TaskMeter {
 public:
  // A report of another attempt resets the measurements.
  void note(const protocol::TaskOutput& output, core::Instant now);

  [[nodiscard]] std::optional<core::Millis> left(int attempt, core::Instant now) const {
    return attempt == attempt_ ? time_left_.left(now) : std::nullopt;
  }
  [[nodiscard]] const std::optional<int>& cpu_percent() const { return cpu_percent_; }
  [[nodiscard]] const std::optional<std::uint64_t>& memory_bytes() const { return memory_bytes_; }
  // When its log last grew, or when its first report arrived.
  [[nodiscard]] core::Instant wrote_at() const { return wrote_at_; }

 private:
  int attempt_ = 0;
  TimeLeft time_left_;
  std::optional<int> cpu_percent_;
  std::optional<std::uint64_t> memory_bytes_;
  core::Instant wrote_at_{};
};

using TaskMeters = std::map<core::TaskId, TaskMeter>;

}  // namespace ydl::master
