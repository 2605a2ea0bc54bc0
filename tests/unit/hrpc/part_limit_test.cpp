#include "hrpc/part_limit.hpp"

#include "hrpc/errors.hpp"
#include "hrpc/frame_codec.hpp"

#include <gtest/gtest.h>

namespace ydl::hrpc {
namespace {

std::string repeated(std::string_view part, std::size_t times) {
  std::string message;
  for (std::size_t i = 0; i < times; ++i) message += part;
  return message;
}

std::string within(std::string_view message) {
  std::string outer = "\x0a";
  append_delimited(outer, message);
  return outer;
}

constexpr std::string_view kEmptyPart("\x0a\x00", 2);

TEST(PartLimit, answers_of_real_clusters_are_accepted) {
  EXPECT_TRUE(check_parts(""));
  EXPECT_TRUE(check_parts(repeated(kEmptyPart, kMostSiblings)));
  const auto node = within(repeated("\x0a\x04host\x10\x01", 30));
  EXPECT_TRUE(check_parts(repeated(node, 10'000)));
}

TEST(PartLimit, a_huge_list_of_empty_parts_is_refused_at_any_depth) {
  const auto list = repeated(kEmptyPart, kMostSiblings + 1);
  EXPECT_EQ(check_parts(list).error().code, Errc::corrupt);
  EXPECT_FALSE(check_parts(within(list)));
  EXPECT_FALSE(check_parts(within(within(within(list)))));
  EXPECT_FALSE(check_parts(list + "\xff")) << "decoding would fail only at the end, after allocating everything";
  EXPECT_FALSE(check_parts("\x0b" + list)) << "in a group";
}

TEST(PartLimit, many_lists_of_empty_parts_are_refused) {
  EXPECT_FALSE(check_parts(repeated(within(repeated(kEmptyPart, 100'000)), 11)));
}

TEST(PartLimit, text_is_not_counted_as_parts) {
  EXPECT_TRUE(check_parts(within(repeated("[2026-01-02 03:04:05] Exception from container-launch.\n", 100'000))));
}

TEST(PartLimit, invalid_bytes_are_left_to_the_decoder) {
  for (const std::string_view bytes :
       {"\x0a", "\x0a\x05x", "\x0e", "\x08", "\x09\x01", "\x0d\x01", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"})
    EXPECT_TRUE(check_parts(bytes));
}

}  // namespace
}  // namespace ydl::hrpc
