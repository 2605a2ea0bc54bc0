#include "ui/progress.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace ydl::ui {
namespace {

constexpr int kEighths = 8;

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

std::optional<int> progress_percent(const std::optional<double>& progress) {
  if (!progress || !std::isfinite(*progress)) return std::nullopt;
  // 0.29 * 100 is 28.999...: a little is added so that what a person computes is what is shown.
  return static_cast<int>(std::clamp(*progress, 0.0, 1.0) * 100 + 1e-9);
}

std::string progress_words(int percent, std::string_view text) {
  return text.empty() ? fmt::format("{}%", percent) : fmt::format("{}% {}", percent, text);
}

std::string progress_bar(int percent, int cells, Charset charset) {
  percent = std::clamp(percent, 0, 100);
  if (charset == Charset::ascii) {
    const int full = percent * cells / 100;
    return fmt::format("[{}{}]", repeated("#", full), repeated("-", cells - full));
  }
  static constexpr std::array<std::string_view, kEighths> kParts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = percent * cells * kEighths / 100;
  const int full = eighths / kEighths;
  const auto part = kParts.at(static_cast<std::size_t>(eighths % kEighths));
  return repeated("█", full).append(part).append(repeated("░", cells - full - (part.empty() ? 0 : 1)));
}

// As coarse as an estimate is: seconds in steps of five, then minutes, hours with tens of minutes, days with hours.
std::string time_left_words(core::Millis left) {
  const auto seconds = std::max<core::Millis::rep>(0, left.count() / 1000);
  if (seconds < 5) return "a few seconds left";
  if (seconds < 58) return fmt::format("about {} s left", (seconds + 2) / 5 * 5);
  const auto minutes = (seconds + 30) / 60;
  if (minutes < 60) return fmt::format("about {} min left", minutes);
  const auto pair = [](auto big, std::string_view big_unit, auto small, std::string_view small_unit) {
    return small == 0 ? fmt::format("about {} {} left", big, big_unit)
                      : fmt::format("about {} {} {} {} left", big, big_unit, small, small_unit);
  };
  const auto tens = (minutes + 5) / 10;
  if (tens < 24 * 6) return pair(tens / 6, "h", tens % 6 * 10, "min");
  const auto hours = (minutes + 30) / 60;
  return pair(hours / 24, "d", hours % 24, "h");
}

}  // namespace ydl::ui
