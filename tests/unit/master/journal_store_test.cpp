#include "master/journal_store.hpp"

#include "hrpc/errors.hpp"
#include "master/journal_errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::master {
namespace {

using ::testing::HasSubstr;

TEST(JournalStore, a_journal_that_no_attempt_can_read_ends_the_job_with_its_reason) {
  for (const auto code : {core::Errc::corrupt, core::Errc::refused}) {
    const auto opened = JournalStore::after_failure({code, "journal/1, line 2: not an event"});
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->store, nullptr);
    EXPECT_EQ(opened->content.epoch, 1);
    ASSERT_TRUE(opened->unusable);
    EXPECT_THAT(opened->unusable->message, HasSubstr("journal/1, line 2"));
  }
}

TEST(JournalStore, other_failures_are_those_of_this_attempt) {
  const std::vector<core::Error> errors{{core::Errc::exists, "another master has it"},
                                        {core::Errc::timeout, "HDFS does not answer"},
                                        {hrpc::Errc::unreachable, "no route"}};
  for (const auto& error : errors) {
    const auto opened = JournalStore::after_failure(error);
    ASSERT_FALSE(opened) << error.message;
    EXPECT_EQ(opened.error().code, error.code);
    EXPECT_THAT(opened.error().message, HasSubstr("the job's journal"));
  }
}

TEST(JournalStore, messages_of_the_journal_before_there_is_a_master_are_dropped) {
  const auto store = std::make_shared<JournalStore>();
  auto listener = store->listener();
  listener.on_durable(1);
  listener.on_behind("away");
  listener.on_broken("full");
  listener.on_caught_up();
  listener.on_taken("another");
}

TEST(JournalErrors, what_a_person_has_to_mend_is_told_with_a_remedy) {
  for (const auto code : {hrpc::Errc::access_denied, hrpc::Errc::quota_exceeded, hrpc::Errc::not_found}) {
    EXPECT_TRUE(lasts({code, "why"}));
    EXPECT_THAT(journal_remedy({code, "why"}), testing::StartsWith("; "));
  }
  EXPECT_TRUE(lasts({core::Errc::corrupt, "its DataNodes have lost some"}));
}

TEST(JournalErrors, what_passes_is_waited_for) {
  for (const auto code :
       {hrpc::Errc::unreachable, hrpc::Errc::timed_out, hrpc::Errc::connection_lost, hrpc::Errc::standby,
        hrpc::Errc::safe_mode, hrpc::Errc::lease_conflict, hrpc::Errc::lease_lost, hrpc::Errc::retriable})
    EXPECT_FALSE(lasts({code, "why"})) << static_cast<int>(code);
  EXPECT_FALSE(lasts({core::Errc::io, "the pipeline is broken"}));
}

}  // namespace
}  // namespace ydl::master
