#include "agent/log_copy.hpp"

#include <gtest/gtest.h>

namespace ydl::agent {
namespace {

TEST(LogCursor, goes_through_a_growing_file) {
  LogCursor cursor;
  EXPECT_EQ(cursor.offset(10), 0U);
  cursor.copied(10);
  EXPECT_EQ(cursor.offset(10), 10U);
  EXPECT_EQ(cursor.offset(15), 10U);
}

TEST(LogCursor, a_file_that_was_cut_is_read_from_its_start) {
  LogCursor cursor;
  cursor.copied(10);
  EXPECT_EQ(cursor.offset(4), 0U);
  cursor.copied(4);
  EXPECT_EQ(cursor.offset(4), 4U);
}

TEST(LogCursor, what_the_copy_lacks_after_a_failure_is_read_again) {
  LogCursor cursor;
  cursor.copied(10);
  cursor.resume(7);
  EXPECT_EQ(cursor.offset(10), 7U);
}

TEST(LogCursor, a_copy_that_has_more_than_was_acknowledged_is_not_given_it_twice) {
  LogCursor cursor;
  cursor.copied(10);
  cursor.resume(12);
  EXPECT_EQ(cursor.offset(20), 12U);
}

TEST(LogCursor, after_a_cut_only_the_new_content_can_be_read_again) {
  LogCursor cursor;
  cursor.copied(10);
  EXPECT_EQ(cursor.offset(4), 0U);
  cursor.copied(4);
  cursor.resume(12);  // two of the four arrived
  EXPECT_EQ(cursor.offset(4), 2U);
  cursor.resume(8);  // of what was cut off two bytes are lost for good
  EXPECT_EQ(cursor.offset(4), 0U);
  cursor.copied(4);
  cursor.resume(12);
  EXPECT_EQ(cursor.offset(4), 4U);
}

}  // namespace
}  // namespace ydl::agent
