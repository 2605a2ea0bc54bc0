#include "master/task_meter.hpp"

#include <gtest/gtest.h>

namespace ydl::master {
namespace {

core::Instant at(long seconds) {
  return core::Instant(core::Seconds(1000 + seconds));
}

protocol::TaskOutput output(int attempt) {
  return {{{"worker", 0}, attempt}, "line", std::nullopt, ""};
}

TEST(TaskMeter, knows_what_was_reported_last) {
  TaskMeter meter;
  auto report = output(1);
  report.cpu_percent = 97;
  report.memory_bytes = 5;
  report.quiet_ms = core::Seconds(48);
  meter.note(report, at(0));
  EXPECT_EQ(meter.cpu_percent(), 97);
  EXPECT_EQ(meter.memory_bytes(), 5U);
  EXPECT_EQ(meter.wrote_at(), at(-48));
  meter.note(output(1), at(10));
  EXPECT_EQ(meter.cpu_percent(), 97) << "a line has come before the next look";
  EXPECT_EQ(meter.wrote_at(), at(10));
}

TEST(TaskMeter, begins_anew_with_another_attempt) {
  TaskMeter meter;
  auto report = output(1);
  report.cpu_percent = 97;
  for (int i = 0; i <= 20; ++i) {
    report.progress = i / 100.0;
    meter.note(report, at(i));
  }
  EXPECT_TRUE(meter.left(1, at(20)));
  EXPECT_FALSE(meter.left(2, at(20)));
  meter.note(output(2), at(21));
  EXPECT_FALSE(meter.cpu_percent());
  EXPECT_FALSE(meter.left(2, at(21)));
}

}  // namespace
}  // namespace ydl::master
