#pragma once

#include "core/clock.hpp"

#include <optional>
#include <vector>

namespace ydl::master {

// Estimates from the progress that a task reports when it will be done. It says nothing rather than a number that means
// nothing: before it has seen a few steps over several seconds, when the task has stopped to move, and for a task whose
// progress falls again and again, because such a bar is that of an epoch and not of the task. Pure.
class TimeLeft {
 public:
  // The task reports this fraction, from 0 to 1. One that is less than the fraction before begins anew.
  void note(double fraction, core::Instant now);
  [[nodiscard]] std::optional<core::Millis> left(core::Instant now) const;

 private:
  struct Sample {
    core::Instant at;
    double fraction = 0;
    int step = 0;  // how many came before it
  };
  [[nodiscard]] const Sample& middle() const;

  // A few, spread over the time since the beginning, of which the first one stays; and the newest.
  std::vector<Sample> samples_;
  core::Millis spacing_{0};  // between two of them, at least
  Sample newest_;
  int falls_ = 0;
};

}  // namespace ydl::master
