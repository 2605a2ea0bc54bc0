#include "cli/args/job_selection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::cli {
namespace {

using core::Millis;
using core::WallTime;

constexpr Millis kHour = std::chrono::hours(1);
constexpr Millis kDay = std::chrono::hours(24);
const WallTime kNow = std::chrono::sys_days(std::chrono::year(2026) / 11 / 15) + std::chrono::hours(12);

WallTime moment(std::string_view text) {
  const auto parsed = parse_moment("--since", text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? resolve(*parsed, kNow) : WallTime{};
}

jobs::JobSummary job(core::JobState state, Millis submitted_ago, std::optional<Millis> ended_ago = std::nullopt) {
  jobs::JobSummary summary;
  summary.state = state;
  summary.created = kNow - submitted_ago;
  if (ended_ago) summary.finished = kNow - *ended_ago;
  return summary;
}

TEST(ParseMoment, a_time_is_how_long_ago_or_a_date) {
  EXPECT_EQ(moment("1h"), kNow - kHour);
  EXPECT_EQ(moment("2d"), kNow - 2 * kDay);
  EXPECT_EQ(moment("2026-11-14"), kNow - std::chrono::hours(36));
  EXPECT_EQ(moment("2026-11-15T08:30"), kNow - std::chrono::minutes(210));
  EXPECT_EQ(moment("2026-11-15 08:30"), kNow - std::chrono::minutes(210));
  EXPECT_EQ(moment("2026-11-15T08:30:00Z"), kNow - std::chrono::minutes(210));
  EXPECT_EQ(moment("2026-11-15T11:59:59.999Z"), kNow - Millis(1)) << "as --output json writes times";
}

TEST(ParseMoment, other_words_are_refused_with_examples) {
  for (const auto* text : {"", "yesterday", "2026-13-01", "2026-11-15T", "2026-11-15T25:00", "-1h", "15/11/2026"})
    EXPECT_FALSE(parse_moment("--since", text)) << text;
  const auto refused = parse_moment("--since", "yesterday");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Errc::usage);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("2026-11-15T08:30 (UTC)"));
}

TEST(JobSelection, all_conditions_must_hold) {
  const JobSelection failed_lately{.states = {"failed", "lost"}, .since = Moment(kDay)};
  EXPECT_TRUE(failed_lately.selects(job(core::JobState::failed, kHour, kHour), kNow));
  EXPECT_TRUE(failed_lately.selects(job(core::JobState::lost, kDay), kNow));
  EXPECT_FALSE(failed_lately.selects(job(core::JobState::failed, 2 * kDay, kHour), kNow));
  EXPECT_FALSE(failed_lately.selects(job(core::JobState::succeeded, kHour, kHour), kNow));
}

TEST(JobSelection, age_counts_from_the_end_of_the_job) {
  const JobSelection old{.older_than = 30 * kDay};
  EXPECT_TRUE(old.selects(job(core::JobState::succeeded, 31 * kDay, 30 * kDay), kNow));
  EXPECT_FALSE(old.selects(job(core::JobState::succeeded, 31 * kDay, 29 * kDay), kNow));
  EXPECT_FALSE(old.selects(job(core::JobState::running, 31 * kDay), kNow)) << "it has not ended";
}

TEST(JobSelection, a_job_that_cannot_be_read_is_selected_by_that_alone) {
  jobs::JobSummary unreadable;
  EXPECT_TRUE(JobSelection{.states = {"unreadable"}}.selects(unreadable, kNow));
  EXPECT_FALSE(JobSelection{.since = Moment(kDay)}.selects(unreadable, kNow));
  EXPECT_FALSE(JobSelection{.older_than = kDay}.selects(unreadable, kNow));
}

}  // namespace
}  // namespace ydl::cli
