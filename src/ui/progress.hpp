#pragma once

#include "ui/model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace ydl::ui {

// Whole percents, rounded down so that 100 means done; nothing when the task reports none, or no number.
[[nodiscard]] inline std::optional<int> progress_percent(const TaskView& task) {
  if (!task.progress || !std::isfinite(*task.progress)) return std::nullopt;
  // 0.29 * 100 is 28.999...: a little is added so that what a person computes is what is shown.
  return static_cast<int>(std::clamp(*task.progress, 0.0, 1.0) * 100 + 1e-9);
}

// "42% epoch 3/5 loss 0.12".
[[nodiscard]] inline std::string progress_words(int percent, std::string_view text) {
  return text.empty() ? fmt::format("{}%", percent) : fmt::format("{}% {}", percent, text);
}

// "[####------]".
[[nodiscard]] inline std::string progress_bar(int percent, int cells) {
  const auto full = static_cast<std::size_t>(percent * cells / 100);
  return fmt::format("[{}{}]", std::string(full, '#'), std::string(static_cast<std::size_t>(cells) - full, '-'));
}

}  // namespace ydl::ui
