// The decisions of a job on YARN without faults, and those that follow from its own requests.
#include "unit/backend/yarn/yarn_script.hpp"

namespace ydl::backend::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class YarnMachineTest : public YarnScript {};

TEST_F(YarnMachineTest, registers_then_asks_for_what_is_wanted) {
  EXPECT_THAT(tick(), ElementsAre("register"));
  EXPECT_THAT(tick(), IsEmpty()) << "one call at a time";
  (void)machine_.registered(all_tokens(), now_);
  (void)place(0);
  (void)place(1);
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate 2"));
}

TEST_F(YarnMachineTest, a_granted_container_gets_an_agent_and_its_attempt) {
  start();
  (void)place(0);
  EXPECT_THAT(answered({.granted = {container(2)}}), ElementsAre("job: granted worker:0#1 on node1", "expect agent 2",
                                                                 "agent 2: prepare worker:0#1", "start 2 on node1"));
  EXPECT_THAT(lines(machine_.agent_called(id(2), {}, now_)), ElementsAre("job: reached worker:0#1"));
  EXPECT_THAT(report(2, protocol::Prepared{worker(0), {4000}}),
              ElementsAre("job: placed worker:0#1 on node1 at 10.0.1.1"));
}

TEST_F(YarnMachineTest, containers_of_one_node_are_started_by_one_call) {
  start();
  for (int i = 0; i < 3; ++i) (void)place(i);
  const auto done = answered({.granted = {container(2, "node1"), container(3, "node2"), container(4, "node1")}});
  EXPECT_THAT(done, Contains("start 2 4 on node1"));
  EXPECT_THAT(done, Contains("start 3 on node2"));
}

TEST_F(YarnMachineTest, a_task_runs_and_exits) {
  start();
  launch_on(0, 2);
  EXPECT_THAT(report(2, protocol::TaskStarted{worker(0), 7}), ElementsAre("job: started worker:0#1"));
  EXPECT_THAT(report(2, protocol::TaskOutput{worker(0), "epoch 1", {}, ""}), ElementsAre("output: epoch 1"));
  EXPECT_THAT(report(2, protocol::TaskExited{worker(0), {.code = 3}, 0, ""}), ElementsAre("job: exited worker:0#1: 3"));
  EXPECT_THAT(lines(machine_.release(worker(0), now_)), ElementsAre("agent 2: shutdown"));
  EXPECT_THAT(answered({.completed = {end_of(2, 0)}}), ElementsAre("forget agent 2"));
}

TEST_F(YarnMachineTest, a_task_whose_results_are_lost_has_failed) {
  start();
  launch_on(0, 2);
  EXPECT_THAT(report(2, protocol::TaskExited{worker(0), {}, 0, "HDFS is full"}),
              ElementsAre("user: worker:0: HDFS is full", "job: exited worker:0#1: 1"));
}

TEST_F(YarnMachineTest, a_start_that_failed_leaves_the_container_until_it_is_released) {
  start();
  launch_on(0, 2);
  EXPECT_THAT(report(2, protocol::TaskStartFailed{worker(0), job::Cause::cannot_start, "no such program"}),
              ElementsAre("job: start failed worker:0#1"));
  EXPECT_THAT(lines(machine_.release(worker(0), now_)), ElementsAre("agent 2: shutdown"));
  EXPECT_THAT(lines(machine_.release(worker(0), now_)), IsEmpty());
}

TEST_F(YarnMachineTest, a_grant_that_no_attempt_waits_for_is_released) {
  start();
  (void)place(0);
  (void)lines(machine_.release(worker(0), now_));
  EXPECT_THAT(answered({.granted = {container(2)}}), IsEmpty());
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate release 2"));
}

TEST_F(YarnMachineTest, a_grant_that_is_over_in_the_same_answer_is_asked_for_again) {
  start();
  (void)place(0);
  auto expired = end_of(2, -100);
  expired.diagnostics = "Container expired since it was unused";
  (void)answered({.granted = {container(2)}, .completed = {expired}});
  EXPECT_THAT(beat(), ElementsAre("allocate 1 avoid node1"));
}

TEST_F(YarnMachineTest, a_released_attempt_is_not_asked_for_any_more) {
  start();
  (void)place(0);
  (void)place(1);
  EXPECT_THAT(beat(), ElementsAre("allocate 2"));
  EXPECT_THAT(lines(machine_.release(worker(1), now_)), IsEmpty());
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate 1"));
}

TEST_F(YarnMachineTest, a_placed_attempt_that_is_released_is_heard_of_no_more) {
  start();
  place_on(0, 2);
  EXPECT_THAT(lines(machine_.release(worker(0), now_)), ElementsAre("agent 2: shutdown", "stop 2"));
  EXPECT_THAT(report(2, protocol::TaskExited{worker(0), {}, 0, ""}), IsEmpty());
  EXPECT_THAT(lines(machine_.launch({worker(0), {}, {}}, now_)), IsEmpty());
  EXPECT_THAT(answered({.completed = {end_of(2, -100)}}), ElementsAre("forget agent 2"));
}

TEST_F(YarnMachineTest, a_launched_attempt_that_is_released_is_lost) {
  start();
  launch_on(0, 2);
  EXPECT_THAT(lines(machine_.release(worker(0), now_)), ElementsAre("agent 2: shutdown", "stop 2", "look at 2"));
  EXPECT_THAT(report(2, protocol::TaskGone{worker(0)}),
              ElementsAre("forget agent 2", "job: lost worker:0#1: its container was released"));
}

TEST_F(YarnMachineTest, a_stop_goes_to_the_agent_of_a_placed_attempt) {
  start();
  launch_on(0, 2);
  EXPECT_THAT(lines(machine_.stop({worker(0), core::Seconds(10)}, now_)), ElementsAre("agent 2: stop worker:0#1"));
}

TEST_F(YarnMachineTest, an_attempt_that_is_stopped_while_its_container_starts_is_lost_at_once) {
  start();
  (void)place(0);
  (void)answered({.granted = {container(2)}});
  EXPECT_THAT(lines(machine_.stop({worker(0), core::Seconds(10)}, now_)),
              ElementsAre("agent 2: shutdown", "stop 2", "job: lost worker:0#1: it was stopped before it started"));
}

TEST_F(YarnMachineTest, containers_of_an_earlier_master_are_released) {
  EXPECT_THAT(tick(), ElementsAre("register"));
  auto registration = all_tokens();
  registration.from_previous_attempts = {container(9)};
  (void)machine_.registered(registration, now_);
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate release 9"));
}

TEST_F(YarnMachineTest, a_new_token_is_used_from_then_on) {
  start();
  EXPECT_THAT(answered({.am_rm_token = hrpc::Token{"second", "", "", ""}}), ElementsAre("use token second"));
}

TEST_F(YarnMachineTest, the_jobs_progress_goes_out_with_the_next_heartbeat) {
  start();
  machine_.set_progress(0.5);
  now_ = machine_.next_deadline(now_);
  for (;;) {
    const auto actions = machine_.tick([this](const auto&) { return now_; }, now_);
    if (!actions.empty()) {
      EXPECT_FLOAT_EQ(std::get<Allocate>(actions.back()).request.progress, 0.5F);
      break;
    }
    now_ = machine_.next_deadline(now_);
  }
}

TEST_F(YarnMachineTest, nothing_is_told_or_asked_for_once_it_is_closed) {
  start();
  launch_on(0, 2);
  (void)place(1);
  (void)to_heartbeat();
  machine_.close();
  EXPECT_THAT(report(2, protocol::TaskExited{worker(0), {}, 0, ""}), IsEmpty());
  EXPECT_THAT(lines(machine_.allocated({.response_id = 99, .granted = {container(3)}}, now_)), IsEmpty());
  now_ += core::Seconds(1000);
  EXPECT_THAT(tick(), IsEmpty());
}

TEST_F(YarnMachineTest, only_a_registered_master_reports_the_end_to_the_resource_manager) {
  EXPECT_FALSE(machine_.has_to_finish());
  start();
  EXPECT_TRUE(machine_.has_to_finish());
  (void)to_heartbeat();
  (void)machine_.allocate_failed(thrown("ApplicationMasterNotRegisteredException"), now_);
  EXPECT_TRUE(machine_.has_to_finish()) << "it registers again and then finishes";
  (void)tick();
  (void)machine_.registration_failed(thrown("ApplicationAttemptNotFoundException"), now_);
  EXPECT_FALSE(machine_.has_to_finish());
}

}  // namespace
}  // namespace ydl::backend::test
