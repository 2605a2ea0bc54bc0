#include "ui/line_limit.hpp"

#include <gtest/gtest.h>

namespace ydl::ui {
namespace {

core::Instant at(long millis) {
  return core::Instant(core::Millis(1'000'000 + millis));
}

// How many of `lines` lines, which come at once, are shown.
int admitted(LineLimit& limit, int lines, long millis) {
  int shown = 0;
  for (int i = 0; i < lines; ++i) shown += limit.admits(at(millis)) ? 1 : 0;
  return shown;
}

TEST(LineLimit, a_burst_is_shown_whole_and_a_slow_task_always) {
  LineLimit limit;
  EXPECT_EQ(admitted(limit, 100, 0), 100);
  for (int i = 1; i <= 200; ++i) EXPECT_TRUE(limit.admits(at(50L * i))) << i;
  EXPECT_EQ(limit.take_rest(), 0);
}

TEST(LineLimit, a_flood_is_shown_at_twenty_lines_a_second_and_the_rest_is_counted) {
  LineLimit limit;
  EXPECT_EQ(admitted(limit, 1000, 0), 100);
  int shown = 0;
  std::int64_t told = 0;
  for (long millis = 100; millis <= 10'000; millis += 100) {
    told += limit.take_left_out(at(millis));
    shown += admitted(limit, 100, millis);
  }
  EXPECT_EQ(shown, 200);
  told += limit.take_rest();
  EXPECT_EQ(100 + shown + told, 11'000) << "no line is neither shown nor counted";
}

TEST(LineLimit, the_number_is_told_once_a_second_and_not_after_each_line) {
  LineLimit limit;
  (void)admitted(limit, 500, 0);
  EXPECT_EQ(limit.take_left_out(at(900)), 0);
  EXPECT_EQ(limit.take_left_out(at(1000)), 400);
  EXPECT_EQ(limit.take_left_out(at(5000)), 0);
}

}  // namespace
}  // namespace ydl::ui
