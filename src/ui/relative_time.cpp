#include "ui/relative_time.hpp"

#include "core/strings.hpp"

#include <fmt/format.h>

namespace ydl::ui {
namespace {

// One unit is enough for how long ago something was.
std::string rough(core::Millis duration) {
  const auto seconds = std::chrono::floor<core::Seconds>(duration).count();
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min", seconds / 60);
  if (seconds < 86'400) return fmt::format("{} h", seconds / 3600);
  return fmt::format("{} d", seconds / 86'400);
}

}  // namespace

std::string relative_time(core::WallTime then, core::WallTime now) {
  const auto ago = now - then;
  if (ago >= std::chrono::days(30) || -ago >= std::chrono::days(30)) return core::format_utc(then).substr(0, 10);
  if (ago <= -std::chrono::minutes(1)) return fmt::format("in {}", rough(-ago));
  return ago < core::Seconds(1) ? "just now" : fmt::format("{} ago", rough(ago));
}

}  // namespace ydl::ui
