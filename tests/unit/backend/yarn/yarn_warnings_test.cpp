// Containers that the cluster says it will take away.
#include "unit/backend/yarn/yarn_script.hpp"

namespace ydl::backend::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

class YarnWarnings : public YarnScript {
 protected:
  void SetUp() override {
    start();
    launch_on(0, 2, "node1");
  }
  Lines node_is(yarn::NodeState state, std::optional<core::Millis> leaves_within = std::nullopt) {
    return answered({.changed_nodes = {{.id = node("node1"), .state = state, .leaves_within = leaves_within}}});
  }
};

TEST_F(YarnWarnings, both_contracts_count_and_each_container_is_told_of_once) {
  EXPECT_THAT(answered({.may_be_preempted = {id(2)}}), ElementsAre("job: warned worker:0#1, preempted, 15 s"));
  EXPECT_THAT(answered({.will_be_preempted = {id(2)}}), IsEmpty());
  launch_on(1, 3, "node2");
  EXPECT_THAT(answered({.will_be_preempted = {id(3)}}), ElementsAre("job: warned worker:1#1, preempted, 15 s"));
  EXPECT_THAT(answered({.will_be_preempted = {id(9)}}), IsEmpty()) << "the container is unknown";
}

TEST_F(YarnWarnings, a_node_that_leaves_the_cluster_warns_its_containers) {
  EXPECT_THAT(node_is(yarn::NodeState::decommissioning, core::Seconds(120)),
              ElementsAre("job: warned worker:0#1, decommissioned, 2 min"));
  EXPECT_THAT(node_is(yarn::NodeState::running), ElementsAre("job: warning over worker:0#1"));
  EXPECT_THAT(node_is(yarn::NodeState::running), IsEmpty());
}

TEST_F(YarnWarnings, a_container_that_is_still_there_long_after_is_not_taken_away) {
  (void)answered({.may_be_preempted = {id(2)}});
  now_ += core::Seconds(29);
  EXPECT_THAT(tick(), Not(Contains("job: warning over worker:0#1")));
  (void)machine_.allocated({.response_id = ++response_id_}, now_);
  now_ += core::Seconds(1);
  EXPECT_THAT(tick(), Contains("job: warning over worker:0#1"));
}

TEST_F(YarnWarnings, a_container_that_will_be_taken_away_is_not_used_again) {
  (void)answered({.may_be_preempted = {id(2)}});
  EXPECT_THAT(report(2, protocol::TaskExited{worker(0), {.cause = job::Cause::preempted}, 0, ""}),
              ElementsAre("job: exited worker:0#1: 0"));
  EXPECT_THAT(place_next(0), ElementsAre("agent 2: shutdown"));
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate 1"));
}

TEST_F(YarnWarnings, a_warning_before_the_launch_is_told_after_it) {
  place_on(1, 3, "node2");
  EXPECT_THAT(answered({.may_be_preempted = {id(3)}}), IsEmpty());
  now_ += core::Seconds(5);
  EXPECT_THAT(lines(machine_.launch({worker(1), {"train"}, {}}, now_)),
              ElementsAre("agent 3: launch worker:1#1", "job: warned worker:1#1, preempted, 10 s"));
}

TEST_F(YarnWarnings, what_the_job_has_to_say_goes_to_the_agent_of_a_task_that_runs) {
  EXPECT_THAT(lines(machine_.pass(protocol::Warn{worker(0), {"worker", 1}, job::Cause::preempted, core::Seconds(14)})),
              ElementsAre("agent 2: warn worker:0#1"));
  EXPECT_THAT(lines(machine_.pass(protocol::CallOff{worker(0)})), ElementsAre("agent 2: call off worker:0#1"));
  EXPECT_THAT(lines(machine_.pass(protocol::CallOff{worker(5)})), IsEmpty());
}

TEST_F(YarnWarnings, a_scheduler_is_told_from_the_placing_of_its_attempt_to_its_release) {
  const auto tell = [&](int index) {
    return lines(machine_.pass(protocol::SchedulerEnded{worker(index), worker(0), job::MemberEnded::Next::left, ""}));
  };
  EXPECT_THAT(tell(1), IsEmpty());
  place_on(1, 3, "node2");
  EXPECT_THAT(lines(machine_.pass(protocol::CallOff{worker(1)})), IsEmpty()) << "its task does not run";
  EXPECT_THAT(tell(1), ElementsAre("agent 3: node ended worker:1#1"));
  (void)machine_.launch({worker(1), {"train"}, {}}, now_);
  EXPECT_THAT(tell(1), ElementsAre("agent 3: node ended worker:1#1"));
  (void)report(3, protocol::TaskExited{worker(1), {}, 0, ""});
  EXPECT_THAT(tell(1), ElementsAre("agent 3: node ended worker:1#1")) << "its task has ended, it has not";
  EXPECT_THAT(report(3, protocol::SchedulerNote{worker(1), "all 2 nodes registered"}),
              ElementsAre("user: all 2 nodes registered"));
  EXPECT_THAT(report(3, protocol::SchedulerBroken{worker(1), "no node registered"}),
              ElementsAre("job: rendezvous failed: no node registered"));
  (void)machine_.release(worker(1), now_);
  EXPECT_THAT(tell(1), IsEmpty());
  EXPECT_THAT(report(3, protocol::SchedulerBroken{worker(1), "no node registered"}), IsEmpty());
}

}  // namespace
}  // namespace ydl::backend::test
