#pragma once

#include "core/clock.hpp"

#include <cstdint>
#include <utility>

namespace ydl::ui {

// How many lines of the tasks a terminal shows, so that a person can read them: a burst at once, then about 20 a
// second. Lines are left out until 20 of them fit again, so that their number is told once a second and not after each
// line.
class LineLimit {
 public:
  static constexpr double kBurst = 100;
  static constexpr double kLinesPerSecond = 20;

  // Whether the next line is shown.
  [[nodiscard]] bool admits(core::Instant now);
  // How many lines were left out, once lines are shown again; each is counted once. 0: none, or it is too early.
  [[nodiscard]] std::int64_t take_left_out(core::Instant now);
  // The same at the end, where no other lines follow.
  [[nodiscard]] std::int64_t take_rest() { return std::exchange(left_out_, 0); }

 private:
  void refill(core::Instant now);

  double tokens_ = kBurst;
  core::Instant refilled_ = {};
  bool is_closed_ = false;
  std::int64_t left_out_ = 0;
};

}  // namespace ydl::ui
