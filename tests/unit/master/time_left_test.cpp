#include "master/time_left.hpp"

#include <gtest/gtest.h>

namespace ydl::master {
namespace {

using core::Millis;
using core::Seconds;

core::Instant at(double seconds) {
  return core::Instant(Millis(1'000'000 + static_cast<long>(seconds * 1000)));
}

// One step of 1 % each second, up to and with `percent`.
TimeLeft steady(int percent) {
  TimeLeft time;
  for (int i = 0; i <= percent; ++i) time.note(i / 100.0, at(i));
  return time;
}

TEST(TimeLeft, is_what_the_rest_takes_at_the_same_speed) {
  const auto time = steady(40);
  ASSERT_TRUE(time.left(at(40)));
  EXPECT_NEAR(static_cast<double>(time.left(at(40))->count()), 60'000, 100);
  EXPECT_NEAR(static_cast<double>(time.left(at(50))->count()), 50'000, 100) << "it passes while no report comes";
}

TEST(TimeLeft, is_not_told_before_a_few_steps_over_a_few_seconds) {
  TimeLeft time;
  EXPECT_FALSE(time.left(at(0)));
  time.note(0, at(0));
  time.note(0.5, at(20));
  EXPECT_FALSE(time.left(at(20))) << "two samples";
  TimeLeft quick;
  for (int i = 0; i < 10; ++i) quick.note(i / 10.0, at(i / 10.0));
  EXPECT_FALSE(quick.left(at(1))) << "one second";
}

TEST(TimeLeft, a_report_with_the_same_fraction_is_not_a_step) {
  TimeLeft time;
  for (int i = 0; i < 20; ++i) time.note(0.5, at(i));
  EXPECT_FALSE(time.left(at(20)));
}

TEST(TimeLeft, the_speed_is_that_of_the_newer_half) {
  TimeLeft time;
  time.note(0, at(0));
  time.note(0.01, at(60));  // the first step compiles
  for (int i = 1; i <= 60; ++i) time.note(0.01 + i * 0.005, at(60 + i));
  EXPECT_NEAR(static_cast<double>(time.left(at(120))->count()), 138'000, 2'000);
}

TEST(TimeLeft, a_long_run_is_judged_by_all_of_its_time) {
  TimeLeft time;
  for (int i = 0; i <= 10'000; ++i) time.note(i / 20'000.0, at(i));
  EXPECT_NEAR(static_cast<double>(time.left(at(10'000))->count()), 10'000'000, 50'000);
}

TEST(TimeLeft, begins_anew_when_progress_falls) {
  auto time = steady(90);
  time.note(0, at(100));
  EXPECT_FALSE(time.left(at(100)));
  for (int i = 1; i <= 10; ++i) time.note(i / 100.0, at(100 + i * 2));
  EXPECT_NEAR(static_cast<double>(time.left(at(120))->count()), 180'000, 1'000);
}

TEST(TimeLeft, is_not_told_of_a_bar_that_falls_again_and_again) {
  TimeLeft time;
  for (int epoch = 0; epoch < 4; ++epoch) {
    for (int i = 0; i <= 10; ++i) time.note(i / 10.0, at(epoch * 20 + i));
  }
  time.note(0, at(80));
  for (int i = 1; i <= 8; ++i) time.note(i / 10.0, at(80 + i));
  EXPECT_FALSE(time.left(at(88))) << "it is the time left of an epoch";
}

TEST(TimeLeft, is_not_told_of_a_task_that_does_not_move_any_more) {
  const auto time = steady(40);
  EXPECT_TRUE(time.left(at(40 + 29)));
  EXPECT_FALSE(time.left(at(40 + 31)));
  TimeLeft slow;
  for (int i = 0; i <= 4; ++i) slow.note(i / 10.0, at(i * 600));
  EXPECT_TRUE(slow.left(at(2400 + 1500))) << "steps of ten minutes";
  EXPECT_EQ(slow.left(at(2400 + 1500)), Millis(2'100'000));
  EXPECT_FALSE(slow.left(at(2400 + 1900)));
}

TEST(TimeLeft, is_not_told_at_the_end_and_of_what_takes_years) {
  EXPECT_FALSE(steady(100).left(at(100)));
  TimeLeft time;
  for (int i = 0; i <= 10; ++i) time.note(i * 1e-9, at(i));
  EXPECT_FALSE(time.left(at(10)));
}

TEST(TimeLeft, numbers_that_are_not_fractions_are_ignored) {
  auto time = steady(40);
  for (const double number : {-1.0, 2.0, std::numeric_limits<double>::quiet_NaN()}) time.note(number, at(40));
  EXPECT_NEAR(static_cast<double>(time.left(at(40))->count()), 60'000, 100);
}

}  // namespace
}  // namespace ydl::master
