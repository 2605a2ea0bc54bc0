#pragma once

#include "core/clock.hpp"

#include <string>

namespace ydl::ui {

// "just now", "12 s ago", "3 min ago", "2 h ago", "5 d ago", and the UTC date from 30 days on. A time ahead of us, as
// clocks that differ give, is "just now" within a minute, else "in 3 min".
[[nodiscard]] std::string relative_time(core::WallTime then, core::WallTime now);

}  // namespace ydl::ui
