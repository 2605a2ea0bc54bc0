#include "cli/args/past_time.hpp"

#include "cli/args/job_selection.hpp"
#include "core/strings.hpp"

#include <chrono>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

// "03:13" or "03:13:20" on the day of `local`.
std::optional<core::WallTime> parse_clock(std::string_view text, core::WallTime local) {
  constexpr std::string_view kMidnight = "00:00:00.000Z";
  if (text.size() != 5 && text.size() != 8) return std::nullopt;
  const auto day = core::format_utc(local).substr(0, std::string_view("2026-11-15T").size());
  return core::parse_utc(day + std::string(text) + std::string(kMidnight.substr(text.size())));
}

}  // namespace

core::Result<core::WallTime> parse_past_time(std::string_view option, std::string_view text, core::WallTime now,
                                             const ui::UtcOffset& offset) {
  if (const auto moment = parse_moment(option, text)) return resolve(*moment, now);
  if (const auto clock = parse_clock(text, now + offset(now))) {
    const auto time = *clock - offset(now);
    return time <= now ? time : time - std::chrono::days(1);
  }
  return core::fail(core::Errc::usage,
                    fmt::format("{} {}: write how long ago, for example 5m or 2h, a time on this machine's clock, for "
                                "example 03:13:20, or a date, for example 2026-11-15T03:13:20Z",
                                option, text));
}

}  // namespace ydl::cli
