#pragma once

#include "core/clock.hpp"
#include "ui/line.hpp"
#include "ui/model.hpp"

#include <string>

namespace ydl::cli {

// When and on what something is shown.
struct StatusScreen {
  core::WallTime now;
  int columns = 0;  // 0: lines are not cut, as in a pipe
  ui::Style style;

  [[nodiscard]] static StatusScreen of_output();
};

// A job and its tasks as `ydl status` shows them.
[[nodiscard]] std::string status_text(const ui::JobView& job, const StatusScreen& screen);

}  // namespace ydl::cli
