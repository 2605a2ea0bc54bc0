#include "protocol/agent_session.hpp"

#include <gtest/gtest.h>

namespace ydl::protocol {
namespace {

const core::AttemptId kAttempt{{"worker", 0}, 1};

TEST(AgentSession, a_master_of_a_lower_epoch_is_not_obeyed) {
  AgentSession session;
  EXPECT_TRUE(session.accept(Epoch{2}));
  EXPECT_TRUE(session.accept(Epoch{2}));
  EXPECT_FALSE(session.accept(Epoch{1}));
  EXPECT_EQ(session.epoch(), Epoch{2});
}

TEST(AgentSession, commands_are_numbered_afresh_by_a_new_master) {
  AgentSession session;
  ASSERT_TRUE(session.accept(Epoch{1}));
  EXPECT_TRUE(session.accept_command(1));
  EXPECT_TRUE(session.accept_command(2));
  EXPECT_FALSE(session.accept_command(1));
  ASSERT_TRUE(session.accept(Epoch{2}));
  EXPECT_EQ(session.last_command(), 0U);
  EXPECT_TRUE(session.accept_command(1));
}

TEST(AgentSession, reports_that_were_not_confirmed_go_to_the_new_master_from_number_1) {
  AgentSession session;
  ASSERT_TRUE(session.accept(Epoch{1}));
  for (const auto* text : {"one", "two", "three"}) session.push(Note{kAttempt, text});
  session.confirm(Epoch{1}, 1);
  EXPECT_EQ(session.reports().first(), 2U);
  ASSERT_TRUE(session.accept(Epoch{2}));
  EXPECT_EQ(session.reports().first(), 1U);
  ASSERT_EQ(session.reports().items().size(), 2U);
  EXPECT_EQ(std::get<Note>(session.reports().items().front()).text, "two");
}

TEST(AgentSession, a_late_confirmation_of_the_earlier_master_means_nothing) {
  AgentSession session;
  ASSERT_TRUE(session.accept(Epoch{1}));
  session.push(Note{kAttempt, "one"});
  ASSERT_TRUE(session.accept(Epoch{2}));
  session.confirm(Epoch{1}, 1);
  EXPECT_EQ(session.reports().items().size(), 1U);
  session.confirm(Epoch{2}, 1);
  EXPECT_TRUE(session.reports().empty());
}

}  // namespace
}  // namespace ydl::protocol
