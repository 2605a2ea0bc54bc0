#include "hdfs/log_copy_fsm.hpp"

#include <gtest/gtest.h>

namespace ydl::hdfs {
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

TEST_F(LogCopyStory, a_log_that_stays_empty_makes_no_file) {
  EXPECT_EQ(next(0), Action::wait);
  fsm.end();
  EXPECT_EQ(next(0), Action::done);
}

TEST_F(LogCopyStory, is_written_flushed_and_closed_at_the_end) {
  copy(10);
  fsm.end();
  EXPECT_EQ(next(10), Action::close);
  fsm.closed();
  EXPECT_EQ(next(10), Action::done);
}

TEST_F(LogCopyStory, a_log_that_never_rests_is_flushed_every_period) {
  copy(10);
  EXPECT_EQ(next(20), Action::write);
  fsm.wrote(10);
  EXPECT_EQ(next(30), Action::write);
  now += kPeriod;
  EXPECT_EQ(next(30), Action::flush);
}

TEST_F(LogCopyStory, bytes_that_a_failed_flush_lost_are_written_again_though_the_log_has_ended) {
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

TEST_F(LogCopyStory, bytes_that_arrived_though_the_flush_failed_are_not_written_twice) {
  copy(10);
  ASSERT_EQ(next(25), Action::write);
  fsm.wrote(15);
  ASSERT_EQ(next(25), Action::flush);
  fsm.failed();
  ASSERT_EQ(next(25), Action::open);
  fsm.opened(25);
  EXPECT_EQ(next(25), Action::wait);
}

TEST_F(LogCopyStory, a_copy_whose_close_failed_is_opened_again_to_be_closed) {
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

TEST_F(LogCopyStory, a_failure_while_all_is_safe_waits_for_news) {
  copy(10);
  fsm.failed();
  EXPECT_EQ(next(10), Action::wait);
  EXPECT_EQ(next(11), Action::open);
}

TEST_F(LogCopyStory, bytes_that_the_task_cut_before_they_were_safe_are_counted_as_lost) {
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
