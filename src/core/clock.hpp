#pragma once

#include <chrono>

namespace ydl::core {

using Millis = std::chrono::milliseconds;
using Seconds = std::chrono::seconds;

// A point on a clock that never goes back. State machines receive it as an argument and never read the clock, so tests
// can choose it.
using Instant = std::chrono::time_point<std::chrono::steady_clock, Millis>;

// A point in calendar time, for output that people read.
using WallTime = std::chrono::sys_time<Millis>;

[[nodiscard]] inline Instant steady_now() {
  return std::chrono::time_point_cast<Millis>(std::chrono::steady_clock::now());
}
[[nodiscard]] inline WallTime wall_now() {
  return std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now());
}

}  // namespace ydl::core
