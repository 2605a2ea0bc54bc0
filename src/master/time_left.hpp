#pragma once

#include "core/clock.hpp"

#include <optional>
#include <vector>

namespace ydl::master {

// Estimates from the progress that a task reports when it will be done. There is no estimate before a few steps over
// several seconds, if the progress has stopped, or if it falls again and again, because then it is the progress of an
// epoch and not of the task. Pure.
class TimeLeft {
 public:
  // The task reports this fraction, from 0 to 1. A smaller fraction than before restarts the estimate.
  void note(double fraction, core::Instant now);
  [[nodiscard]] std::optional<core::Millis> left(core::Instant now) const;

 private:
  struct Sample {
    core::Instant at;
    double fraction = 0;
    int step = 0;  // the number of steps before it
  };
  [[nodiscard]] const Sample& middle() const;

  // A few samples, spread over the time since the first one, which is kept; and the newest one.
  std::vector<Sample> samples_;
  core::Millis spacing_{0};  // the shortest time between two samples
  Sample newest_;
  int falls_ = 0;
};

}  // namespace ydl::master
