#include "core/utf8.hpp"

#include <gtest/gtest.h>

namespace ydl::core {
namespace {

TEST(Utf8, valid_text_stays_as_it_is) {
  for (const std::string text : {"", "plain\n\x01", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"}) {
    EXPECT_EQ(replace_invalid_utf8(text), text);
  }
}

TEST(Utf8, each_invalid_byte_is_replaced) {
  EXPECT_EQ(replace_invalid_utf8("caf\xe9.txt"), "caf\xEF\xBF\xBD.txt");
  EXPECT_EQ(replace_invalid_utf8("\xff\xfe"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(replace_invalid_utf8("\xc3"), "\xEF\xBF\xBD");                                    // incomplete
  EXPECT_EQ(replace_invalid_utf8("\xc0\xaf"), "\xEF\xBF\xBD\xEF\xBF\xBD");                    // overlong encoding
  EXPECT_EQ(replace_invalid_utf8("a\xed\xa0\x80"), "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // a surrogate
}

TEST(Utf8, escaped_text_contains_no_control_characters) {
  EXPECT_EQ(escaped("plain caf\xc3\xa9 a\\b"), "plain caf\xc3\xa9 a\\b");
  EXPECT_EQ(escaped("\x1b]0;x\x07"), "\\x1b]0;x\\x07");
  EXPECT_EQ(escaped(std::string_view("a\0b\n\t\x7f", 6)), "a\\x00b\\x0a\\x09\\x7f");
  EXPECT_EQ(escaped("\xc2\x9b"
                    "31m"),
            "\\xc2\\x9b31m");
  EXPECT_EQ(escaped("\xff\xc3"), "\\xff\\xc3");
}

TEST(Utf8, escaped_lines_keeps_line_breaks) {
  EXPECT_EQ(escaped_lines("one\x1b\ntwo\r\n\nend"), "one\\x1b\ntwo\\x0d\n\nend");
  EXPECT_EQ(escaped_lines(""), "");
  EXPECT_EQ(escaped_lines("one"), "one");
}

TEST(Utf8, shortened_text_ends_with_a_whole_character) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "abc…");
  EXPECT_EQ(shortened("ab€d", 4), "ab…");
  EXPECT_EQ(shortened("\x80\x80\x80", 1), "…");  // not UTF-8 at all
}

}  // namespace
}  // namespace ydl::core
