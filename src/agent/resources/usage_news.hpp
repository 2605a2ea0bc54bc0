#pragma once

#include "core/clock.hpp"

#include <cstdint>
#include <optional>

namespace ydl::agent {

// What the processes of a task use together.
struct Usage {
  std::optional<int> cpu_percent = {};  // since the look before; 100: one core
  std::optional<std::uint64_t> memory_bytes = {};

  bool operator==(const Usage&) const = default;
};

// Decides when the usage of a task is reported although its log has no news. A job may have 10,000 tasks, so small
// changes are reported once a minute at most. Pure.
class UsageNews {
 public:
  void note(const Usage& usage) { latest_ = usage; }
  [[nodiscard]] const Usage& latest() const { return latest_; }
  // The latest usage was reported.
  void reported(core::Instant now);
  // `grew_at`: when the task's log last grew. What was reported of that may be too old as well.
  [[nodiscard]] bool is_worth_report(core::Instant now, core::Instant grew_at) const;

 private:
  Usage latest_;
  Usage reported_;
  std::optional<core::Instant> reported_at_;
};

}  // namespace ydl::agent
