#pragma once

#include <chrono>

namespace ydl::core {

using Millis = std::chrono::milliseconds;
using Seconds = std::chrono::seconds;

// A point on a clock that only goes forward. State machines take it as an argument and never ask for it.
using Instant = std::chrono::time_point<std::chrono::steady_clock, Millis>;

// A point in calendar time, for what people read.
using WallTime = std::chrono::sys_time<Millis>;

[[nodiscard]] inline Instant steady_now() {
  return std::chrono::time_point_cast<Millis>(std::chrono::steady_clock::now());
}
[[nodiscard]] inline WallTime wall_now() {
  return std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now());
}

}  // namespace ydl::core
