#include "hdfs/log_copy_fsm.hpp"

#include <gtest/gtest.h>

namespace ydl::hdfs {
namespace {

TEST(LogCursor, follows_a_growing_file) {
  LogCursor cursor;
  EXPECT_EQ(cursor.offset(10), 0U);
  cursor.copied(10);
  EXPECT_EQ(cursor.offset(10), 10U);
  EXPECT_EQ(cursor.offset(15), 10U);
}

TEST(LogCursor, a_truncated_file_is_read_from_its_start) {
  LogCursor cursor;
  cursor.copied(10);
  EXPECT_EQ(cursor.offset(4), 0U);
  cursor.copied(4);
  EXPECT_EQ(cursor.offset(4), 4U);
}

TEST(LogCursor, bytes_missing_in_the_copy_after_a_failure_are_read_again) {
  LogCursor cursor;
  cursor.copied(10);
  cursor.resume(7);
  EXPECT_EQ(cursor.offset(10), 7U);
}

TEST(LogCursor, bytes_in_the_copy_that_were_not_acknowledged_are_not_written_twice) {
  LogCursor cursor;
  cursor.copied(10);
  cursor.resume(12);
  EXPECT_EQ(cursor.offset(20), 12U);
}

TEST(LogCursor, after_truncation_only_the_new_content_can_be_read_again) {
  LogCursor cursor;
  cursor.copied(10);
  EXPECT_EQ(cursor.offset(4), 0U);
  cursor.copied(4);
  cursor.resume(12);  // two of the four arrived
  EXPECT_EQ(cursor.offset(4), 2U);
  cursor.resume(8);  // of what was cut off two bytes are lost for good
  EXPECT_EQ(cursor.lost(), 2U);
  EXPECT_EQ(cursor.offset(4), 0U);
  cursor.copied(4);
  cursor.resume(12);
  EXPECT_EQ(cursor.offset(4), 4U);
}

using Action = LogCopyFsm::Action;

constexpr core::Millis kPeriod = core::Seconds(1);

class LogCopyStory : public testing::Test {
 protected:
  Action next(std::uint64_t size) { return fsm.next(size, now); }
  // A log of `size` bytes is copied and flushed.
  void copy(std::uint64_t size) {
    ASSERT_EQ(next(size), Action::open);
    fsm.opened(0);
    ASSERT_EQ(next(size), Action::write);
    fsm.wrote(size);
    ASSERT_EQ(next(size), Action::flush);
    fsm.flushed(now);
    ASSERT_EQ(next(size), Action::wait);
  }

  core::Instant now{core::Seconds(100)};
  LogCopyFsm fsm{kPeriod};
};

TEST_F(LogCopyStory, an_empty_log_creates_no_file) {
  EXPECT_EQ(next(0), Action::wait);
  fsm.end();
  EXPECT_EQ(next(0), Action::done);
}

TEST_F(LogCopyStory, a_log_is_written_flushed_and_closed_at_the_end) {
  copy(10);
  fsm.end();
  EXPECT_EQ(next(10), Action::close);
  fsm.closed();
  EXPECT_EQ(next(10), Action::done);
}

TEST_F(LogCopyStory, a_log_that_grows_all_the_time_is_flushed_every_period) {
  copy(10);
  EXPECT_EQ(next(20), Action::write);
  fsm.wrote(10);
  EXPECT_EQ(next(30), Action::write);
  now += kPeriod;
  EXPECT_EQ(next(30), Action::flush);
}

TEST_F(LogCopyStory, bytes_lost_by_a_failed_flush_are_written_again_after_the_end_of_the_log) {
  copy(10);
  ASSERT_EQ(next(25), Action::write);
  fsm.wrote(15);
  fsm.end();
  ASSERT_EQ(next(25), Action::flush);
  fsm.failed();
  ASSERT_EQ(next(25), Action::open);
  fsm.failed();  // HDFS is still away
  ASSERT_EQ(next(25), Action::open);
  fsm.opened(12);  // two of the fifteen had arrived
  ASSERT_EQ(next(25), Action::write);
  EXPECT_EQ(fsm.offset(), 12U);
  fsm.wrote(13);
  ASSERT_EQ(next(25), Action::flush);
  fsm.flushed(now);
  ASSERT_EQ(next(25), Action::close);
  fsm.closed();
  EXPECT_EQ(next(25), Action::done);
  EXPECT_EQ(fsm.lost(), 0U);
}

TEST_F(LogCopyStory, bytes_stored_by_a_failed_flush_are_not_written_twice) {
  copy(10);
  ASSERT_EQ(next(25), Action::write);
  fsm.wrote(15);
  ASSERT_EQ(next(25), Action::flush);
  fsm.failed();
  ASSERT_EQ(next(25), Action::open);
  fsm.opened(25);
  EXPECT_EQ(next(25), Action::wait);
}

TEST_F(LogCopyStory, a_copy_is_opened_again_after_a_failed_close) {
  copy(10);
  fsm.end();
  ASSERT_EQ(next(10), Action::close);
  fsm.failed();
  ASSERT_EQ(next(10), Action::open);
  fsm.opened(10);
  ASSERT_EQ(next(10), Action::close);
  fsm.closed();
  EXPECT_EQ(next(10), Action::done);
}

TEST_F(LogCopyStory, after_a_failure_without_unflushed_bytes_nothing_is_done_until_the_log_grows) {
  copy(10);
  fsm.failed();
  EXPECT_EQ(next(10), Action::wait);
  EXPECT_EQ(next(11), Action::open);
}

TEST_F(LogCopyStory, bytes_that_the_task_truncated_before_they_were_stored_count_as_lost) {
  copy(10);
  ASSERT_EQ(next(25), Action::write);
  fsm.wrote(15);
  ASSERT_EQ(next(4), Action::write);  // the task has cut its log
  fsm.failed();
  ASSERT_EQ(next(4), Action::open);
  fsm.opened(10);
  EXPECT_EQ(fsm.lost(), 15U);
  ASSERT_EQ(next(4), Action::write);
  EXPECT_EQ(fsm.offset(), 0U);
}

}  // namespace
}  // namespace ydl::hdfs
