#include "backend/report_translation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Attempt = Translation::Attempt;

const core::AttemptId kAttempt{{"worker", 0}, 2};
const AgentHost kHost{"10.0.0.7", "node7"};

template <class Event>
Event event_of(const Translation& translation) {
  if (!translation.event || !std::holds_alternative<Event>(*translation.event)) {
    ADD_FAILURE() << "another event, or none";
    return {};
  }
  return std::get<Event>(*translation.event);
}

TEST(ReportTranslation, a_prepared_attempt_is_placed_on_the_agents_host) {
  const auto translation = translate(protocol::Prepared{kAttempt, {4711}}, kHost);
  EXPECT_EQ(translation.attempt, Attempt::prepared);
  const auto placed = event_of<job::Placed>(translation);
  EXPECT_EQ(placed.attempt, kAttempt);
  EXPECT_EQ(placed.place.host, "10.0.0.7");
  EXPECT_EQ(placed.place.node, "node7");
  EXPECT_THAT(placed.place.ports, ElementsAre(4711));
}

TEST(ReportTranslation, whether_an_attempt_that_cannot_be_prepared_has_another_host_is_left_open) {
  const auto translation = translate(protocol::PrepareFailed{kAttempt, "the disk is full", job::Cause::disk}, kHost);
  EXPECT_EQ(translation.attempt, Attempt::not_prepared);
  EXPECT_EQ(translation.reason, "the disk is full");
  EXPECT_EQ(translation.cause, job::Cause::disk);
  EXPECT_FALSE(translation.event);
}

TEST(ReportTranslation, a_start_that_failed_ends_the_attempt_unless_a_port_was_taken) {
  using job::Cause;
  for (const auto cause : {Cause::cannot_start, Cause::start_failed, Cause::port_taken}) {
    const auto translation = translate(protocol::TaskStartFailed{kAttempt, cause, "why"}, kHost);
    EXPECT_EQ(translation.attempt, cause == Cause::port_taken ? Attempt::goes_on : Attempt::over);
    EXPECT_EQ(event_of<job::StartFailed>(translation).cause, cause);
  }
}

TEST(ReportTranslation, a_scheduler_speaks_for_itself_and_its_failure_names_its_attempt) {
  EXPECT_THAT(translate(protocol::SchedulerNote{kAttempt, "all 3 nodes registered"}, kHost).notes,
              ElementsAre("all 3 nodes registered"));
  const auto broken = translate(protocol::SchedulerBroken{kAttempt, "no node registered"}, kHost);
  EXPECT_EQ(broken.attempt, Attempt::goes_on);
  EXPECT_EQ(event_of<job::RendezvousFailed>(broken).attempt, kAttempt);
  EXPECT_EQ(event_of<job::RendezvousFailed>(broken).reason, "no node registered");
}

TEST(ReportTranslation, a_task_exits_with_its_status) {
  const auto translation = translate(protocol::TaskExited{kAttempt, {.code = 3}, 0, ""}, kHost);
  EXPECT_EQ(translation.attempt, Attempt::over);
  EXPECT_EQ(event_of<job::Exited>(translation).status.code, 3);
  EXPECT_THAT(translation.notes, IsEmpty());
}

TEST(ReportTranslation, a_task_whose_results_are_lost_has_failed_and_the_user_hears_why) {
  const auto translation = translate(protocol::TaskExited{kAttempt, {}, 0, "cannot keep model.params"}, kHost);
  EXPECT_EQ(event_of<job::Exited>(translation).status.code, 1);
  EXPECT_EQ(event_of<job::Exited>(translation).status.cause, job::Cause::results);
  EXPECT_THAT(translation.notes, ElementsAre("worker:0: cannot keep model.params"));
}

TEST(ReportTranslation, a_task_that_failed_keeps_its_own_code_when_its_results_are_lost_too) {
  const auto failed = translate(protocol::TaskExited{kAttempt, {.code = 3}, 0, "cannot keep model.params"}, kHost);
  EXPECT_EQ(event_of<job::Exited>(failed).status.code, 3);
  const auto killed = translate(protocol::TaskExited{kAttempt, {.signal = 9}, 0, "cannot keep model.params"}, kHost);
  EXPECT_EQ(event_of<job::Exited>(killed).status.signal, 9);
  EXPECT_EQ(event_of<job::Exited>(killed).status.code, 0);
}

TEST(ReportTranslation, processes_that_a_task_left_behind_are_noted) {
  EXPECT_THAT(translate(protocol::TaskExited{kAttempt, {}, 1, ""}, kHost).notes,
              ElementsAre("worker:0 left a process running; killed"));
  EXPECT_THAT(translate(protocol::TaskExited{kAttempt, {}, 3, ""}, kHost).notes,
              ElementsAre("worker:0 left 3 processes running; killed"));
}

TEST(ReportTranslation, notes_name_their_task_and_output_is_passed_on) {
  EXPECT_THAT(translate(protocol::Note{kAttempt, "HDFS is away"}, kHost).notes, ElementsAre("worker:0: HDFS is away"));
  const auto output = translate(protocol::TaskOutput{kAttempt, "epoch 1", 0.5, ""}, kHost);
  ASSERT_TRUE(output.output);
  EXPECT_EQ(output.output->last_line, "epoch 1");
  EXPECT_FALSE(output.event);
}

TEST(ReportTranslation, notes_are_told_before_the_event_they_explain) {
  std::vector<std::string> told;
  const Sink sink{[&](const job::Event&) { told.emplace_back("event"); }, [](const protocol::TaskOutput&) {},
                  [&](std::string note) { told.push_back(std::move(note)); }};
  tell(sink, translate(protocol::TaskExited{kAttempt, {}, 0, "cannot keep x"}, kHost));
  EXPECT_THAT(told, ElementsAre("worker:0: cannot keep x", "event"));
}

}  // namespace
}  // namespace ydl::backend
