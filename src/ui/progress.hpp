#pragma once

#include "core/clock.hpp"
#include "ui/line.hpp"
#include "ui/model.hpp"

#include <optional>
#include <string>
#include <string_view>

// How far something is, and how long it still takes, as people read it.
namespace ydl::ui {

// Whole percents, rounded down so that 100 means done; nothing when none is reported, or no number.
[[nodiscard]] std::optional<int> progress_percent(const std::optional<double>& progress);
[[nodiscard]] inline std::optional<int> progress_percent(const TaskView& task) {
  return progress_percent(task.progress);
}

// "42% epoch 3/5 loss 0.12".
[[nodiscard]] std::string progress_words(int percent, std::string_view text);

// "████▏░░░░░", and without Unicode "[####------]".
[[nodiscard]] std::string progress_bar(int percent, int cells, Charset charset);

// "about 6 min left".
[[nodiscard]] std::string time_left_words(core::Millis left);

}  // namespace ydl::ui
