#include "cli/args/past_time.hpp"

#include "core/strings.hpp"

#include <gtest/gtest.h>

namespace ydl::cli {
namespace {

// The clock of this machine is two hours ahead of UTC: it shows 05:13.
constexpr std::string_view kNow = "2026-11-15T03:13:20.500Z";

std::string parsed(std::string_view text, std::string_view now = kNow) {
  const auto time = parse_past_time("--since", text, *core::parse_utc(now),
                                    [](core::WallTime) { return core::Seconds(2 * 60 * 60); });
  return time ? core::format_utc(*time) : time.error().message;
}

TEST(PastTime, is_how_long_ago_it_was) {
  EXPECT_EQ(parsed("5m"), "2026-11-15T03:08:20.500Z");
  EXPECT_EQ(parsed("2h"), "2026-11-15T01:13:20.500Z");
  EXPECT_EQ(parsed("90"), "2026-11-15T03:11:50.500Z");
}

TEST(PastTime, is_a_time_in_utc_as_ydl_prints_it) {
  EXPECT_EQ(parsed("2026-11-15T03:13:20.123Z"), "2026-11-15T03:13:20.123Z");
  EXPECT_EQ(parsed("2026-11-15T03:13:20Z"), "2026-11-15T03:13:20.000Z");
}

TEST(PastTime, is_a_time_on_the_clock_of_this_machine) {
  EXPECT_EQ(parsed("05:13:20"), "2026-11-15T03:13:20.000Z");
  EXPECT_EQ(parsed("05:13"), "2026-11-15T03:13:00.000Z");
}

TEST(PastTime, is_of_yesterday_where_that_of_today_is_still_to_come) {
  EXPECT_EQ(parsed("05:13:21"), "2026-11-14T03:13:21.000Z");
  EXPECT_EQ(parsed("00:30:00", "2026-11-14T23:00:00.000Z"), "2026-11-14T22:30:00.000Z") << "it is 01:00 there";
}

TEST(PastTime, refuses_other_text_with_examples) {
  for (const auto* text : {"", "yesterday", "25:00:00", "2026-13-01T00:00:00Z", "5 parsecs", "-5m", "05:13:20Z"}) {
    EXPECT_TRUE(parsed(text).contains("write how long ago, for example 5m or 2h")) << text << ": " << parsed(text);
  }
}

}  // namespace
}  // namespace ydl::cli
