#include "ui/table.hpp"

#include "samples.hpp"
#include "ui/relative_time.hpp"

#include <gtest/gtest.h>

namespace ydl::ui {
namespace {

using test::wall;

Table jobs() {
  Table table(
      {{"JOB", Align::left, Fit::shrink}, {"STATE"}, {"TASKS", Align::right}, {"WHY", Align::left, Fit::shrink}});
  table.row({"mnist-7f3k", "running", "2"});
  table.row({"数据-0001", "failed", "128", "worker:1 ended with code 3"}, Tone::red);
  return table;
}

TEST(Table, columns_stand_under_each_other_without_blanks_at_the_end) {
  EXPECT_EQ(jobs().render(0, {}),
            "JOB         STATE    TASKS  WHY\n"
            "mnist-7f3k  running      2\n"
            "数据-0001   failed     128  worker:1 ended with code 3\n");
  EXPECT_EQ(jobs().natural_width(), 54);
}

TEST(Table, a_narrow_screen_takes_from_the_widest_column_that_may_shrink) {
  EXPECT_EQ(jobs().render(40, {}),
            "JOB         STATE    TASKS  WHY\n"
            "mnist-7f3k  running      2\n"
            "数据-0001   failed     128  worker:1 en…\n");
  EXPECT_EQ(jobs().render(32, {}),
            "JOB      STATE    TASKS  WHY\n"
            "mnist-…  running      2\n"
            "数据-0…  failed     128  worker…\n");
}

TEST(Table, a_screen_too_narrow_for_the_rest_cuts_the_line) {
  EXPECT_EQ(jobs().render(12, {}),
            "JOB     STA…\n"
            "mnist…  run…\n"
            "数据-…  fai…\n");
}

TEST(Table, the_header_is_bold_and_a_row_has_one_tone) {
  Table table({{"A"}});
  table.row({"x"}, Tone::red);
  EXPECT_EQ(table.render(80, {Colour::on, Charset::unicode}), "\x1b[1mA\x1b[0m\n\x1b[31mx\x1b[0m\n");
}

TEST(RelativeTime, is_told_in_one_unit) {
  const auto then = wall("03:00:00.000");
  const auto after = [&](core::Millis passed) { return relative_time(then, then + passed); };
  using namespace std::chrono_literals;
  EXPECT_EQ(after(900ms), "just now");
  EXPECT_EQ(after(12'900ms), "12 s ago");
  EXPECT_EQ(after(3min + 59s), "3 min ago");
  EXPECT_EQ(after(2h + 59min), "2 h ago");
  EXPECT_EQ(after(24h * 5), "5 d ago");
  EXPECT_EQ(after(24h * 30), "2026-11-15");
}

TEST(RelativeTime, small_differences_between_clocks_are_not_shown) {
  const auto now = wall("03:00:00.000");
  using namespace std::chrono_literals;
  EXPECT_EQ(relative_time(now + 59s, now), "just now");
  EXPECT_EQ(relative_time(now + 3min, now), "in 3 min");
  EXPECT_EQ(relative_time(now + 24h * 40, now), "2026-12-25");
}

}  // namespace
}  // namespace ydl::ui
