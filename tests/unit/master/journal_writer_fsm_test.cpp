#include "master/journal_writer_fsm.hpp"

#include "hrpc/errors.hpp"

#include <gmock/gmock.h>

namespace ydl::master {
namespace {

using ::testing::HasSubstr;
using Action = JournalWriterFsm::Action;
using News = JournalWriterFsm::News;

constexpr core::Instant kStart{core::Millis(1000)};
constexpr core::Millis kPatience = core::Seconds(5);
const core::Error kBroken{core::Errc::io, "the pipeline is broken"};

// A file of HDFS that has what was written, and forgets what a test says.
class JournalWriter : public testing::Test {
 protected:
  void SetUp() override { write(); }

  void write() {
    ASSERT_EQ(fsm_.next(), Action::write);
    file_ += fsm_.batch();
    fsm_.acknowledged();
  }
  // The writer fails after it has written the first bytes of its batch.
  void fail_after(std::size_t bytes) {
    ASSERT_EQ(fsm_.next(), Action::write);
    file_ += fsm_.batch().substr(0, bytes);
    fsm_.failed(kBroken);
  }
  void reopen() {
    ASSERT_EQ(fsm_.next(), Action::reopen);
    const auto reopened = fsm_.reopened(file_.size());
    ASSERT_TRUE(reopened) << reopened.error().message;
  }

  JournalWriterFsm fsm_{"head", kPatience, kStart};
  std::string file_;
};

TEST_F(JournalWriter, begins_with_the_header_which_is_not_counted) {
  EXPECT_EQ(file_, "head\n");
  EXPECT_TRUE(fsm_.has_header());
  EXPECT_EQ(fsm_.durable(), 0U);
  EXPECT_EQ(fsm_.next(), Action::wait);
}

TEST_F(JournalWriter, writes_what_came_during_a_flush_as_one_batch) {
  fsm_.add("one", kStart);
  ASSERT_EQ(fsm_.next(), Action::write);
  EXPECT_EQ(fsm_.batch(), "one\n");
  fsm_.add("two", kStart);
  fsm_.add("three", kStart);
  EXPECT_EQ(fsm_.batch(), "one\n");
  fsm_.acknowledged();
  EXPECT_EQ(fsm_.durable(), 1U);
  ASSERT_EQ(fsm_.next(), Action::write);
  EXPECT_EQ(fsm_.batch(), "two\nthree\n");
  EXPECT_EQ(fsm_.durable(), 1U);
  fsm_.acknowledged();
  EXPECT_EQ(fsm_.durable(), 3U);
  EXPECT_EQ(fsm_.added(), 3U);
}

TEST_F(JournalWriter, goes_on_at_the_byte_where_a_failed_writer_stopped) {
  const std::string all = "one\ntwo\n";
  for (std::size_t bytes = 0; bytes <= all.size(); ++bytes) {
    JournalWriterFsm fsm("head", kPatience, kStart);
    fsm_ = fsm;
    file_.clear();
    write();
    fsm_.add("one", kStart);
    fsm_.add("two", kStart);
    fail_after(bytes);
    fsm_.add("three", kStart);
    EXPECT_EQ(fsm_.durable(), 0U);
    reopen();
    write();
    EXPECT_EQ(fsm_.durable(), 2U);
    write();
    EXPECT_EQ(fsm_.durable(), 3U);
    EXPECT_EQ(file_, "head\none\ntwo\nthree\n") << bytes;
  }
}

TEST_F(JournalWriter, several_failures_lose_and_double_nothing) {
  fsm_.add("one", kStart);
  fsm_.add("two", kStart);
  fail_after(2);
  ASSERT_EQ(fsm_.next(), Action::reopen);
  fsm_.failed(kBroken);
  reopen();
  fail_after(3);
  file_.resize(file_.size() - 1);  // a block's recovery keeps what all its replicas have
  reopen();
  write();
  EXPECT_EQ(file_, "head\none\ntwo\n");
}

TEST_F(JournalWriter, a_header_that_failed_is_written_again) {
  fsm_ = JournalWriterFsm("head", kPatience, kStart);
  file_.clear();
  fail_after(2);
  EXPECT_FALSE(fsm_.has_header());
  reopen();
  write();
  EXPECT_EQ(file_, "head\n");
}

TEST_F(JournalWriter, a_file_that_lost_acknowledged_bytes_is_not_written) {
  fsm_.add("one", kStart);
  fail_after(0);
  const auto reopened = fsm_.reopened(3);
  ASSERT_FALSE(reopened);
  EXPECT_THAT(reopened.error().message, HasSubstr("has 3 bytes, but HDFS had acknowledged 5"));
  EXPECT_EQ(fsm_.next(), Action::reopen);
}

TEST_F(JournalWriter, a_file_with_bytes_of_another_writer_is_not_written) {
  fsm_.add("one", kStart);
  fail_after(0);
  EXPECT_FALSE(fsm_.reopened(10));
  EXPECT_EQ(fsm_.next(), Action::reopen);
}

TEST_F(JournalWriter, closes_after_the_last_line) {
  fsm_.add("one", kStart);
  fsm_.end();
  write();
  ASSERT_EQ(fsm_.next(), Action::close);
  fsm_.closed();
  EXPECT_EQ(fsm_.next(), Action::done);
}

TEST_F(JournalWriter, a_close_that_failed_is_tried_again) {
  fsm_.end();
  ASSERT_EQ(fsm_.next(), Action::close);
  fsm_.failed(kBroken);
  reopen();
  ASSERT_EQ(fsm_.next(), Action::close);
  fsm_.closed();
  EXPECT_EQ(fsm_.next(), Action::done);
}

TEST_F(JournalWriter, writes_nothing_once_another_master_has_the_journal) {
  fsm_.add("one", kStart);
  fail_after(0);
  fsm_.taken();
  EXPECT_EQ(fsm_.next(), Action::done);
  fsm_.add("two", kStart);
  EXPECT_EQ(fsm_.next(), Action::done);
  EXPECT_EQ(fsm_.news(kStart + 10 * kPatience), std::nullopt);
  EXPECT_EQ(fsm_.durable(), 0U);
}

TEST_F(JournalWriter, tells_once_that_it_is_behind_and_once_that_it_has_caught_up) {
  EXPECT_EQ(fsm_.news_at(), std::nullopt);
  fsm_.add("one", kStart);
  EXPECT_EQ(fsm_.news_at(), kStart + kPatience);
  ASSERT_EQ(fsm_.next(), Action::write);
  EXPECT_EQ(fsm_.news(kStart + kPatience - core::Millis(1)), std::nullopt);
  EXPECT_EQ(fsm_.news(kStart + kPatience), News::behind);
  EXPECT_EQ(fsm_.news(kStart + 2 * kPatience), std::nullopt);
  EXPECT_EQ(fsm_.news_at(), std::nullopt);
  fsm_.add("two", kStart + 2 * kPatience);
  fsm_.acknowledged();
  EXPECT_EQ(fsm_.news(kStart + 2 * kPatience), News::caught_up);
  EXPECT_EQ(fsm_.news_at(), kStart + 3 * kPatience);
}

TEST_F(JournalWriter, tells_a_file_that_cannot_be_written_for_good_from_one_that_is_behind) {
  fsm_.add("one", kStart);
  fail_after(0);
  EXPECT_EQ(fsm_.news(kStart + kPatience), News::behind);
  ASSERT_EQ(fsm_.next(), Action::reopen);
  fsm_.failed({hrpc::Errc::quota_exceeded, "the quota is exceeded"});
  EXPECT_EQ(fsm_.news(kStart + kPatience), News::broken);
  EXPECT_EQ(fsm_.news(kStart + 2 * kPatience), std::nullopt);
  ASSERT_EQ(fsm_.next(), Action::reopen);
  fsm_.failed({hrpc::Errc::unreachable, "no route"});
  EXPECT_EQ(fsm_.news(kStart + 2 * kPatience), News::behind);
  reopen();
  write();
  EXPECT_EQ(fsm_.news(kStart + 2 * kPatience), News::caught_up) << "the quota was raised";
}

TEST_F(JournalWriter, a_refusal_is_told_when_it_has_lasted_for_a_while) {
  fsm_.add("one", kStart);
  ASSERT_EQ(fsm_.next(), Action::write);
  fsm_.failed({hrpc::Errc::access_denied, "permission denied"});
  EXPECT_EQ(fsm_.news(kStart + kPatience - core::Millis(1)), std::nullopt);
  EXPECT_EQ(fsm_.news(kStart + kPatience), News::broken);
}

TEST_F(JournalWriter, remembers_why_it_failed_until_something_is_acknowledged) {
  fsm_.add("one", kStart);
  fail_after(0);
  ASSERT_TRUE(fsm_.last_failure());
  EXPECT_EQ(fsm_.last_failure()->message, kBroken.message);
  reopen();
  write();
  EXPECT_FALSE(fsm_.last_failure());
}

}  // namespace
}  // namespace ydl::master
