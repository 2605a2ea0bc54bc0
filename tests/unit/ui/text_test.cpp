#include "ui/text.hpp"

#include <gtest/gtest.h>

namespace ydl::ui {
namespace {

TEST(Text, width_counts_columns_and_not_bytes_or_characters) {
  EXPECT_EQ(display_width("plain"), 5);
  EXPECT_EQ(display_width("café"), 4);
  EXPECT_EQ(display_width("数据"), 4);
  EXPECT_EQ(display_width("e\u0301"), 1);
  EXPECT_EQ(display_width("🚀"), 2);
  EXPECT_EQ(display_width("한글"), 4);
  EXPECT_EQ(display_width("ｆ"), 2);
  EXPECT_EQ(display_width("a\u200b"), 1);
}

TEST(Text, a_cut_never_exceeds_its_columns_nor_splits_a_character) {
  EXPECT_EQ(cut("abcdef", 6), "abcdef");
  EXPECT_EQ(cut("abcdef", 5), "abcd…");
  EXPECT_EQ(cut("数据集", 5), "数据…");
  EXPECT_EQ(cut("数据集", 4), "数…");
  EXPECT_EQ(cut("ae\u0301i", 2), "a…");
  EXPECT_EQ(cut("ae\u0301io", 3), "ae\u0301…");
  EXPECT_EQ(cut("abcdef", 5, "..."), "ab...");
  EXPECT_EQ(cut("abcdef", 3, "..."), "abc");
  EXPECT_EQ(cut("abcdef", 1), "a");
  EXPECT_EQ(cut("abcdef", 0), "");
}

TEST(Text, padding_counts_columns) {
  EXPECT_EQ(pad_right("数", 4) + "|", "数  |");
  EXPECT_EQ(pad_left("12 s", 6), "  12 s");
  EXPECT_EQ(pad_left("too long", 3), "too long");
}

TEST(Text, clean_takes_whole_escape_sequences_away) {
  EXPECT_EQ(clean("\x1b[31mred\x1b[0m"), "red");
  EXPECT_EQ(clean("\x1b[38;5;196mred"), "red");
  EXPECT_EQ(clean("\x1b]0;a title\aafter"), "after");
  EXPECT_EQ(clean("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"), "link");
  EXPECT_EQ(clean("\x1b(Btext"), "text");
  EXPECT_EQ(clean("cut off \x1b["), "cut off ");
  EXPECT_EQ(clean("cut off \x1b"), "cut off ");
}

TEST(Text, clean_drops_controls_that_come_as_utf8_and_direction_overrides) {
  EXPECT_EQ(clean("a\u009b31mb"), "a31mb");
  EXPECT_EQ(clean("a\u202eb\u2066c\u200f"), "abc");
  EXPECT_EQ(clean("a\u2028b"), "ab");
  EXPECT_EQ(clean("a\xff"), "a\uFFFD");
}

TEST(Text, clean_keeps_what_a_line_that_overwrites_itself_shows_last) {
  EXPECT_EQ(clean("10%|#   |\r20%|##  |\r30%|### |"), "30%|### |");
  EXPECT_EQ(clean("30%|### |\r"), "30%|### |");
  EXPECT_EQ(clean("windows\r\n"), "windows");
  EXPECT_EQ(clean("one\r\ntwo"), "one two");
}

TEST(Text, clean_expands_tabs_to_the_next_stop) {
  EXPECT_EQ(clean("\tx"), "        x");
  EXPECT_EQ(clean("ab\tx"), "ab      x");
  EXPECT_EQ(clean("数\tx"), "数      x");
}

}  // namespace
}  // namespace ydl::ui
