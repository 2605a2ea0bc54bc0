#include "ui/progress.hpp"

#include "ui/text.hpp"

#include <gtest/gtest.h>

namespace ydl::ui {
namespace {

TEST(ProgressBar, has_eighths_of_a_cell) {
  EXPECT_EQ(progress_bar(0, 10, Charset::unicode), "░░░░░░░░░░");
  EXPECT_EQ(progress_bar(1, 10, Charset::unicode), "░░░░░░░░░░");
  EXPECT_EQ(progress_bar(2, 10, Charset::unicode), "▏░░░░░░░░░");
  EXPECT_EQ(progress_bar(42, 10, Charset::unicode), "████▏░░░░░");
  EXPECT_EQ(progress_bar(65, 10, Charset::unicode), "██████▌░░░");
  EXPECT_EQ(progress_bar(99, 10, Charset::unicode), "█████████▉");
  EXPECT_EQ(progress_bar(100, 10, Charset::unicode), "██████████");
  EXPECT_EQ(progress_bar(250, 4, Charset::unicode), "████");
  EXPECT_EQ(progress_bar(-1, 4, Charset::unicode), "░░░░");
}

TEST(ProgressBar, is_as_wide_at_every_percent) {
  for (int percent = 0; percent <= 100; ++percent) {
    EXPECT_EQ(display_width(progress_bar(percent, 10, Charset::unicode)), 10) << percent;
    EXPECT_EQ(display_width(progress_bar(percent, 10, Charset::ascii)), 12) << percent;
  }
}

TEST(ProgressBar, without_unicode_has_whole_cells) {
  EXPECT_EQ(progress_bar(42, 10, Charset::ascii), "[####------]");
  EXPECT_EQ(progress_bar(100, 10, Charset::ascii), "[##########]");
}

TEST(TimeLeftWords, are_as_coarse_as_an_estimate) {
  const auto words = [](long seconds) { return time_left_words(core::Seconds(seconds)); };
  EXPECT_EQ(words(-3), "a few seconds left");
  EXPECT_EQ(words(0), "a few seconds left");
  EXPECT_EQ(words(4), "a few seconds left");
  EXPECT_EQ(words(5), "about 5 s left");
  EXPECT_EQ(words(37), "about 35 s left");
  EXPECT_EQ(words(38), "about 40 s left");
  EXPECT_EQ(words(57), "about 55 s left");
  EXPECT_EQ(words(58), "about 1 min left");
  EXPECT_EQ(words(89), "about 1 min left");
  EXPECT_EQ(words(90), "about 2 min left");
  EXPECT_EQ(words(6 * 60), "about 6 min left");
  EXPECT_EQ(words(59 * 60 + 29), "about 59 min left");
  EXPECT_EQ(words(59 * 60 + 30), "about 1 h left");
  EXPECT_EQ(words(2 * 3600 + 12 * 60), "about 2 h 10 min left");
  EXPECT_EQ(words(24 * 3600), "about 1 d left");
  EXPECT_EQ(words(50 * 3600), "about 2 d 2 h left");
}

}  // namespace
}  // namespace ydl::ui
