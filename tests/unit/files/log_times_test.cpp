#include "files/log_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::files {
namespace {

using core::Millis;
using testing::ElementsAre;
using testing::IsEmpty;

core::WallTime at(std::int64_t millis) {
  return core::WallTime(Millis(millis));
}
core::Instant tick(std::int64_t millis) {
  return core::Instant(Millis(millis));
}
std::vector<LogTime> decode(std::string_view bytes) {
  return LogTimesDecoder().feed(bytes);
}

TEST(LogTimes, an_entry_is_a_line_with_offset_and_time) {
  EXPECT_EQ(encode({12, at(1'793'123'600'123)}), "12 1793123600123\n");
  EXPECT_THAT(decode("12 1793123600123\n40 1793123601200\n"),
              ElementsAre(LogTime{12, at(1'793'123'600'123)}, LogTime{40, at(1'793'123'601'200)}));
}

TEST(LogTimes, an_entry_whose_end_is_missing_waits_for_it) {
  LogTimesDecoder decoder;
  EXPECT_THAT(decoder.feed("12 100\n40 20"), ElementsAre(LogTime{12, at(100)}));
  EXPECT_THAT(decoder.feed("0\n"), ElementsAre(LogTime{40, at(200)}));
}

TEST(LogTimes, what_is_not_an_entry_is_skipped) {
  EXPECT_THAT(decode("12 100\n\nabc\n13\n-1 5\n14 -5\n15 1e3\n99999999999999999999 1\n9007199254740993 1\n" +
                     std::string(5000, '1') + " 7\n40 200\n"),
              ElementsAre(LogTime{12, at(100)}, LogTime{40, at(200)}));
}

TEST(LogTimes, a_clock_may_go_backwards) {
  EXPECT_THAT(decode("12 5000\n40 1000\n"), ElementsAre(LogTime{12, at(5000)}, LogTime{40, at(1000)}));
}

TEST(LogTimes, a_smaller_offset_goes_on_behind_what_was_copied_before) {
  EXPECT_THAT(decode("100 1\n30 2\n50 3\n10 4\n"),
              ElementsAre(LogTime{100, at(1)}, LogTime{130, at(2)}, LogTime{150, at(3)}, LogTime{160, at(4)}));
}

TEST(LogTimesPlan, notes_each_growth_but_at_most_one_a_second) {
  LogTimesPlan plan;
  EXPECT_THAT(plan.look(0, tick(0), at(1000)).bytes, IsEmpty()) << "an empty log has no index";
  EXPECT_EQ(plan.look(10, tick(200), at(1200)).bytes, "10 1200\n");
  EXPECT_THAT(plan.look(20, tick(400), at(1400)).bytes, IsEmpty());
  EXPECT_THAT(plan.look(20, tick(600), at(1600)).bytes, IsEmpty());
  EXPECT_EQ(plan.look(20, tick(1200), at(2200)).bytes, "20 1400\n") << "with the time of the growth";
  EXPECT_THAT(plan.look(20, tick(9000), at(10'000)).bytes, IsEmpty()) << "nothing is new";
}

TEST(LogTimesPlan, notes_the_last_growth_at_the_end) {
  LogTimesPlan plan;
  (void)plan.look(10, tick(0), at(1000));
  (void)plan.look(20, tick(200), at(1200));
  EXPECT_EQ(plan.finish(), "20 1200\n");
  EXPECT_EQ(plan.finish(), "");
}

TEST(LogTimesPlan, begins_anew_when_the_task_has_cut_its_log) {
  LogTimesPlan plan;
  (void)plan.look(100, tick(0), at(1000));
  const auto step = plan.look(30, tick(200), at(1200));
  EXPECT_TRUE(step.begins_anew);
  EXPECT_EQ(step.bytes, "30 1200\n");
  const auto emptied = plan.look(0, tick(400), at(1400));
  EXPECT_TRUE(emptied.begins_anew);
  EXPECT_EQ(emptied.bytes, "");
}

TEST(LogTimesPlan, gets_sparse_and_then_stops_so_that_an_index_stays_small) {
  LogTimesPlan plan;
  std::uint64_t size = 0;
  std::uint64_t bytes = 0;
  std::int64_t second = 0;
  const auto grow = [&](std::int64_t seconds) {
    second += seconds;
    const auto step = plan.look(++size, tick(second * 1000), at(1'800'000'000'000 + second * 1000));
    bytes += step.bytes.size();
    return !step.bytes.empty();
  };
  while (bytes < LogTimesPlan::kDense) ASSERT_TRUE(grow(1));
  EXPECT_FALSE(grow(1));
  EXPECT_TRUE(grow(59));
  while (grow(60)) ASSERT_LE(bytes, LogTimesPlan::kLargest);
  EXPECT_GT(bytes, LogTimesPlan::kLargest - 64);
}

}  // namespace
}  // namespace ydl::files
