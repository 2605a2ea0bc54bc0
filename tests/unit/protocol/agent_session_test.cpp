#include "protocol/agent_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace ydl::protocol {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const core::AttemptId kAttempt{{"worker", 0}, 1};
const core::AttemptId kOther{{"worker", 1}, 3};

std::vector<std::string> waiting(const AgentSession& session) {
  std::vector<std::string> types;
  for (const auto& report : session.reports().items()) {
    const auto attempt = std::visit([](const auto& one) { return one.attempt.task.str(); }, report);
    types.push_back(attempt + " " + std::string(to_json(report).at("type").as_string()));
  }
  return types;
}

// An agent that holds kAttempt, which runs, and whose master has confirmed everything.
AgentSession running() {
  AgentSession session;
  EXPECT_TRUE(session.accept(Epoch{1}));
  session.hold(kAttempt);
  session.push(Prepared{kAttempt, {4000}});
  session.push(TaskStarted{kAttempt, 7});
  session.push(Note{kAttempt, "a sentence"});
  session.confirm(Epoch{1}, 3);
  return session;
}

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

TEST(AgentSession, a_new_master_is_told_the_facts_that_the_earlier_one_had_confirmed) {
  auto session = running();
  EXPECT_THAT(session.held(), ElementsAre(kAttempt));
  ASSERT_TRUE(session.accept(Epoch{2}));
  EXPECT_THAT(waiting(session), ElementsAre("worker:0 prepared", "worker:0 started"));
  EXPECT_EQ(std::get<Prepared>(session.reports().items().at(0)).ports, std::vector<std::uint16_t>{4000});
  EXPECT_EQ(std::get<TaskStarted>(session.reports().items().at(1)).pid, 7);
}

TEST(AgentSession, a_fact_is_repeated_once_and_before_other_reports) {
  auto session = running();
  session.push(Note{kAttempt, "not confirmed"});
  session.push(TaskSaving{kAttempt});
  session.push(TaskSaving{kAttempt});
  session.push(TaskSaved{kAttempt});
  session.push(TaskExited{kAttempt, {}, 0, {}});
  ASSERT_TRUE(session.accept(Epoch{2}));
  EXPECT_THAT(waiting(session), ElementsAre("worker:0 prepared", "worker:0 started", "worker:0 exited", "worker:0 note",
                                            "worker:0 saved"));
  ASSERT_TRUE(session.accept(Epoch{2}));
  EXPECT_EQ(session.reports().items().size(), 5U);
}

TEST(AgentSession, the_last_of_silence_and_output_is_a_fact) {
  auto session = running();
  session.push(TaskOutput{kAttempt, "one", {}, {}});
  session.push(TaskSilent{kAttempt});
  session.push(TaskWrites{kAttempt});
  session.push(TaskOutput{kAttempt, "two", {}, {}});
  session.confirm(Epoch{1}, 7);
  ASSERT_TRUE(session.accept(Epoch{2}));
  EXPECT_THAT(waiting(session),
              ElementsAre("worker:0 prepared", "worker:0 started", "worker:0 writes", "worker:0 output"));
  EXPECT_EQ(std::get<TaskOutput>(session.reports().items().back()).last_line, "two");
}

TEST(AgentSession, a_task_that_saves_and_one_that_could_not_start_are_facts) {
  auto session = running();
  session.push(TaskSaving{kAttempt});
  session.hold(kOther);
  session.push(PrepareFailed{kOther, "no port"});
  session.confirm(Epoch{1}, 5);
  ASSERT_TRUE(session.accept(Epoch{2}));
  EXPECT_THAT(waiting(session),
              ElementsAre("worker:0 prepared", "worker:0 started", "worker:0 saving", "worker:1 prepare_failed"));
}

TEST(AgentSession, of_a_released_attempt_only_what_was_not_confirmed_is_told) {
  auto session = running();
  session.release(kAttempt);
  session.push(TaskExited{kAttempt, {}, 0, {}});
  session.push(TaskGone{kAttempt});
  ASSERT_TRUE(session.accept(Epoch{2}));
  EXPECT_THAT(session.held(), IsEmpty());
  EXPECT_THAT(waiting(session), ElementsAre("worker:0 exited", "worker:0 gone"));
  session.confirm(Epoch{2}, 2);
  ASSERT_TRUE(session.accept(Epoch{3}));
  EXPECT_THAT(waiting(session), IsEmpty());
}

TEST(AgentSession, answers_to_the_earlier_master_are_dropped) {
  auto session = running();
  session.push(LogPiece{kAttempt, 5, 0, 0, {}, {}});
  ASSERT_TRUE(session.accept(Epoch{2}));
  EXPECT_THAT(waiting(session), ElementsAre("worker:0 prepared", "worker:0 started"));
}

}  // namespace
}  // namespace ydl::protocol
