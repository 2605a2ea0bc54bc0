#include "core/strings.hpp"

#include <array>
#include <gtest/gtest.h>

namespace ydl::core {
namespace {

TEST(Strings, parse_int_takes_the_whole_text_or_nothing) {
  EXPECT_EQ(parse_int<int>("42"), 42);
  EXPECT_EQ(parse_int<int>("-1"), -1);
  EXPECT_FALSE(parse_int<int>("42x"));
  EXPECT_FALSE(parse_int<int>(""));
  EXPECT_FALSE(parse_int<int>("99999999999"));
}

TEST(Strings, sizes_use_binary_units_and_a_number_without_unit_is_in_mebibytes) {
  EXPECT_EQ(parse_bytes("512"), 512ULL << 20U);
  EXPECT_EQ(parse_bytes("2g"), 2ULL << 30U);
  EXPECT_EQ(parse_bytes("1.5GiB"), 3ULL << 29U);
  EXPECT_EQ(parse_bytes("10 kb"), 10240ULL);
}

TEST(Strings, an_invalid_size_is_refused_with_an_example) {
  for (const auto* bad : {"12q", "", "g", "-1g", "1e400g", "nan", "99999999999t"}) {
    const auto parsed = parse_bytes(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_NE(parsed.error().message.find("512m or 2g"), std::string::npos);
  }
}

TEST(Strings, sizes_are_printed_with_the_largest_fitting_unit) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(2ULL << 30U), "2 GiB");
  EXPECT_EQ(format_bytes(1536ULL << 20U), "1.5 GiB");
}

TEST(Strings, durations_round_trip_through_their_units) {
  EXPECT_EQ(parse_duration("90"), Millis(90'000));
  EXPECT_EQ(parse_duration("500ms"), Millis(500));
  EXPECT_EQ(parse_duration("10m"), Millis(600'000));
  EXPECT_EQ(parse_duration("1.5h"), Millis(5'400'000));
  EXPECT_FALSE(parse_duration("10 parsecs"));
  EXPECT_EQ(format_duration(Millis(350)), "350 ms");
  EXPECT_EQ(format_duration(Millis(4'200)), "4.2 s");
  EXPECT_EQ(format_duration(Millis(185'000)), "3 min 5 s");
  EXPECT_EQ(format_duration(Millis(7'800'000)), "2 h 10 min");
}

TEST(Strings, utc_times_round_trip) {
  const auto time = parse_utc("2026-11-15T03:13:28.123Z");
  ASSERT_TRUE(time);
  EXPECT_EQ(format_utc(*time), "2026-11-15T03:13:28.123Z");
  // outside the range of system_clock, which counts nanoseconds
  const auto far = parse_utc("7633-11-15T03:13:28.123Z");
  ASSERT_TRUE(far);
  EXPECT_EQ(format_utc(*far), "7633-11-15T03:13:28.123Z");
  EXPECT_FALSE(parse_utc("2026-13-15T03:13:28.123Z"));
  EXPECT_FALSE(parse_utc("yesterday"));
}

TEST(Strings, a_typing_mistake_is_answered_with_the_nearest_word) {
  constexpr std::array<std::string_view, 3> kWords{"worker", "ps", "chief"};
  EXPECT_EQ(did_you_mean("wroker", kWords), "; did you mean 'worker'?");
  EXPECT_EQ(did_you_mean("cheif", kWords), "; did you mean 'chief'?");
  EXPECT_EQ(did_you_mean("sp", kWords), "; did you mean 'ps'?");
  EXPECT_EQ(did_you_mean("banana", kWords), "");
}

TEST(Strings, shell_words_are_quoted_only_if_necessary) {
  EXPECT_EQ(shell_quote("train.py"), "train.py");
  EXPECT_EQ(shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote(""), "''");
}

TEST(Strings, printable_keeps_text_and_removes_control_characters) {
  EXPECT_EQ(printable("caf\xC3\xA9\tok"), "caf\xC3\xA9\tok");
  EXPECT_EQ(printable("\x1b[31mred"), "[31mred");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31mred"),
            "31mred");
  EXPECT_EQ(printable("\xff\xC3"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(printable("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Strings, secrets_compare_by_content_and_length) {
  EXPECT_TRUE(secret_equal("abc", "abc"));
  EXPECT_FALSE(secret_equal("abc", "abd"));
  EXPECT_FALSE(secret_equal("abc", "abcabc"));
  EXPECT_FALSE(secret_equal("abc", ""));
  EXPECT_EQ(random_hex(16).size(), 32U);
  EXPECT_NE(random_hex(16), random_hex(16));
}

}  // namespace
}  // namespace ydl::core
