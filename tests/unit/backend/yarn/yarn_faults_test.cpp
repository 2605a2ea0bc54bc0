// What a job on YARN decides when hosts, containers, agents or the ResourceManager fail.
#include "unit/backend/yarn/yarn_script.hpp"

namespace ydl::backend::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class YarnFaults : public YarnScript {};

// ---- the ResourceManager ---------------------------------------------------------------------------------------

// TonY#361: a master that ends itself when the ResourceManager restarts.
TEST_F(YarnFaults, a_restarted_resource_manager_is_registered_with_again_and_told_everything) {
  start();
  (void)place(0);
  EXPECT_THAT(beat(), ElementsAre("allocate 1"));
  (void)to_heartbeat();
  EXPECT_THAT(lines(machine_.allocate_failed(thrown("ApplicationMasterNotRegisteredException"), now_)), IsEmpty());
  EXPECT_THAT(tick(), ElementsAre("register"));
  (void)machine_.registered(all_tokens(), now_);
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate 1"));
}

TEST_F(YarnFaults, a_second_registration_that_fails_is_tried_again_after_a_pause) {
  start();
  (void)place(0);
  (void)to_heartbeat();
  (void)machine_.allocated({.command = yarn::AllocateResponse::Command::resync}, now_);
  EXPECT_THAT(tick(), ElementsAre("register"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(lines(machine_.registration_failed(connection_lost(), now_)), IsEmpty());
    EXPECT_THAT(tick(), Not(Contains("register"))) << "after a pause";
    now_ += core::Seconds(1);
    EXPECT_THAT(tick(), Contains("register"));
  }
  (void)machine_.registered(all_tokens(), now_);
  EXPECT_THAT(to_heartbeat(), Contains("allocate 1"));
}

TEST_F(YarnFaults, a_registration_whose_answer_was_lost_counts) {
  EXPECT_THAT(tick(), ElementsAre("register"));
  const auto already = thrown("InvalidApplicationMasterRequestException", "Application Master is already registered",
                              hrpc::Errc::invalid_request);
  EXPECT_THAT(lines(machine_.registration_failed(already, now_)), IsEmpty());
  EXPECT_TRUE(machine_.is_registered());
  (void)place(0);
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate 1"));
}

TEST_F(YarnFaults, a_heartbeat_that_fails_is_sent_again) {
  start();
  (void)place(0);
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate 1"));
  EXPECT_THAT(lines(machine_.allocate_failed(connection_lost(), now_)), IsEmpty());
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate 1"));
}

TEST_F(YarnFaults, a_master_that_the_resource_manager_ends_breaks_the_job_once) {
  start();
  (void)to_heartbeat();
  EXPECT_THAT(lines(machine_.allocate_failed(thrown("ApplicationAttemptNotFoundException"), now_)),
              ElementsAre("job: broken: the ResourceManager ended this master: ApplicationAttemptNotFoundException"));
  now_ += core::Seconds(100);
  EXPECT_THAT(tick(), IsEmpty());
}

TEST_F(YarnFaults, a_shutdown_that_the_resource_manager_orders_breaks_the_job) {
  start();
  (void)to_heartbeat();
  EXPECT_THAT(lines(machine_.allocated({.command = yarn::AllocateResponse::Command::shutdown}, now_)),
              ElementsAre(StartsWith("job: broken: the ResourceManager ended this master")));
}

// ---- the watch -------------------------------------------------------------------------------------------------

TEST_F(YarnFaults, a_silent_agent_is_noticed_while_the_resource_manager_does_not_answer) {
  start();
  launch_on(0, 2);
  heard_[id(2)] = now_;
  (void)to_heartbeat();  // and no answer comes
  now_ = heard_[id(2)] + options().agent_silence;
  EXPECT_THAT(tick(), IsEmpty());
  now_ += core::Seconds(1);
  EXPECT_THAT(tick(), ElementsAre("agent 2: shutdown", "stop 2", "look at 2"));
}

TEST_F(YarnFaults, an_agent_that_called_and_then_fell_silent_while_it_prepared_is_replaced) {
  start();
  (void)place(0);
  (void)answered({.granted = {container(2)}});
  heard_[id(2)] = now_;
  now_ += options().agent_silence + core::Seconds(1);
  EXPECT_THAT(tick(), Not(Contains("forget agent 2"))) << "its agent may still be on its way";
  (void)machine_.agent_called(id(2), {}, now_);
  heard_[id(2)] = now_;
  now_ += options().agent_silence + core::Seconds(1);
  EXPECT_THAT(tick(), AllOf(Contains("agent 2: shutdown"), Contains("stop 2"), Contains("forget agent 2"),
                            Contains(AllOf(StartsWith("job: waits worker:0#1:"), HasSubstr("has not called for")))));
}

TEST_F(YarnFaults, containers_that_do_not_come_are_told_while_the_resource_manager_does_not_answer) {
  start();
  (void)place(0);
  (void)to_heartbeat();
  now_ += core::Seconds(1);
  EXPECT_THAT(tick(), IsEmpty());
  now_ += core::Seconds(2);
  EXPECT_THAT(tick(), ElementsAre(AllOf(StartsWith("job: waits worker:0#1: queue default has allocated no container"),
                                        HasSubstr("2 GiB"))));
  now_ += core::Seconds(2);
  EXPECT_THAT(tick(), IsEmpty()) << "once";
}

TEST_F(YarnFaults, the_next_attempt_is_told_too_why_no_container_comes) {
  start();
  (void)place(0);
  (void)to_heartbeat();
  now_ += core::Seconds(1);
  (void)tick();
  now_ += core::Seconds(2);
  EXPECT_THAT(tick(), ElementsAre(StartsWith("job: waits worker:0#1: queue default has allocated no container")));
  (void)machine_.release({{"worker", 0}, 1}, now_);
  (void)lines(machine_.place({.attempt = {{"worker", 0}, 2}, .ports = 1}, now_));
  now_ += core::Seconds(2);
  EXPECT_THAT(tick(), Contains(StartsWith("job: waits worker:0#2: queue default has allocated no container")));
}

TEST_F(YarnFaults, a_container_whose_agent_does_not_call_is_told_once) {
  start();
  (void)place(0);
  (void)answered({.granted = {container(2)}});
  (void)to_heartbeat();
  now_ += core::Seconds(16);
  EXPECT_THAT(tick(), ElementsAre(AllOf(StartsWith("job: waits worker:0#1: its container on node1"),
                                        HasSubstr("10.0.0.1:4711"))));
  now_ += core::Seconds(16);
  EXPECT_THAT(tick(), IsEmpty());
}

// ---- containers that come to nothing ---------------------------------------------------------------------------

TEST_F(YarnFaults, an_attempt_that_cannot_be_prepared_gets_another_container_elsewhere) {
  start();
  (void)place(0);
  (void)answered({.granted = {container(2)}});
  EXPECT_THAT(
      report(2, protocol::PrepareFailed{worker(0), "the disk is full"}),
      ElementsAre("agent 2: shutdown", "stop 2", "forget agent 2",
                  "job: host failed worker:0#1 on node1, files: the task could not be prepared on node1: the disk is "
                  "full",
                  "job: waits worker:0#1: the task could not be prepared on node1: the disk is full"));
  EXPECT_THAT(beat(), ElementsAre("allocate 1 release 2 avoid node1"));
  EXPECT_THAT(answered({.granted = {container(3, "node2")}}), Contains("job: granted worker:0#1 on node2"));
  EXPECT_THAT(to_heartbeat(), Contains("allocate forgive node1")) << "others may use it";
}

TEST_F(YarnFaults, the_third_host_that_cannot_prepare_an_attempt_is_the_last_and_all_reasons_are_named) {
  start();
  (void)place(0);
  for (int n = 2; n <= 3; ++n) {
    (void)answered({.granted = {container(n, fmt::format("node{}", n))}});
    (void)report(n, protocol::PrepareFailed{worker(0), "no podman"});
  }
  (void)answered({.granted = {container(4, "node4")}});
  EXPECT_THAT(
      report(4, protocol::PrepareFailed{worker(0), "the disk is full"}),
      Contains(
          "job: cannot place worker:0#1: the task could not be prepared on node4: the disk is full (earlier "
          "failures: the task could not be prepared on node2: no podman; the task could not be prepared on node3: no "
          "podman)"));
  EXPECT_THAT(to_heartbeat(), Not(Contains(HasSubstr("allocate 1"))));
}

TEST_F(YarnFaults, containers_that_the_cluster_takes_away_are_replaced_as_often_as_it_does) {
  start();
  (void)place(0);
  for (int n = 2; n <= 6; ++n) {
    (void)answered({.granted = {container(n, fmt::format("node{}", n))}});
    EXPECT_THAT(answered({.completed = {end_of(n, -102)}}), Contains(StartsWith("job: waits worker:0#1")));
  }
  for (int n = 7; n <= 8; ++n) {
    (void)answered({.granted = {container(n, "node1")}});
    EXPECT_THAT(answered({.completed = {end_of(n, 1)}}), Contains(StartsWith("job: waits worker:0#1")));
    now_ += core::Seconds(30);  // until it takes any host
  }
  (void)answered({.granted = {container(9, "node1")}});
  EXPECT_THAT(answered({.completed = {end_of(9, 1)}}), Contains(StartsWith("job: cannot place worker:0#1")));
}

TEST_F(YarnFaults, an_attempt_that_no_host_can_prepare_is_not_tried_elsewhere) {
  start();
  (void)place(0);
  (void)answered({.granted = {container(2)}});
  EXPECT_THAT(
      report(2, protocol::PrepareFailed{worker(0), "/data does not exist", job::Cause::files, true}),
      ElementsAre("agent 2: shutdown", "stop 2", "forget agent 2",
                  "job: cannot place worker:0#1: the task could not be prepared on node1: /data does not exist"));
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate release 2")) << "and the host is not to blame";
}

TEST_F(YarnFaults, a_node_manager_that_does_not_start_a_container_is_told_and_another_one_is_asked) {
  start();
  (void)place(0);
  (void)answered({.granted = {container(2)}});
  EXPECT_THAT(lines(machine_.not_started(id(2), connection_lost(), now_)),
              ElementsAre("forget agent 2",
                          "job: host failed worker:0#1 on node1, start_failed: the NodeManager on node1 did not start "
                          "its container: lost",
                          "job: waits worker:0#1: the NodeManager on node1 did not start its container: lost"));
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate 1 release 2 avoid node1"));
}

// The answer may have been lost, or the NodeManager lies.
TEST_F(YarnFaults, a_start_that_failed_does_not_count_once_the_agent_has_called) {
  start();
  launch_on(0, 2);
  EXPECT_THAT(lines(machine_.not_started(id(2), connection_lost(), now_)), IsEmpty());
  (void)place(1);
  (void)answered({.granted = {container(3, "node2")}});
  (void)machine_.agent_called(id(3), {}, now_);
  EXPECT_THAT(lines(machine_.not_started(id(3), connection_lost(), now_)), IsEmpty());
  EXPECT_THAT(to_heartbeat(), Contains("allocate")) << "no container is released, and none is asked for";
  EXPECT_THAT(report(2, protocol::TaskExited{worker(0), {}, 0, ""}), Contains("job: exited worker:0#1: 0"));
}

TEST_F(YarnFaults, a_container_without_a_token_for_its_node_is_not_started) {
  EXPECT_THAT(tick(), ElementsAre("register"));
  (void)machine_.registered({}, now_);
  (void)place(0);
  EXPECT_THAT(answered({.granted = {container(2)}}),
              Contains(HasSubstr("the ResourceManager gave no token for this node")));
}

// TonY#430: a master that waits for a container which has already ended.
TEST_F(YarnFaults, a_container_that_ends_before_its_agent_calls_is_replaced) {
  start();
  (void)place(0);
  (void)answered({.granted = {container(2)}});
  EXPECT_THAT(answered({.completed = {end_of(2, 1)}}),
              ElementsAre("forget agent 2",
                          "job: host failed worker:0#1 on node1, start_failed: its container on node1 ended: it failed "
                          "with exit code 1",
                          "job: waits worker:0#1: its container on node1 ended: it failed with exit code 1"));
  EXPECT_THAT(to_heartbeat(), Contains("allocate 1 avoid node1"));
}

// ---- containers that are lost ----------------------------------------------------------------------------------

TEST_F(YarnFaults, the_logs_of_a_lost_container_are_saved_before_the_job_hears_of_it) {
  start();
  launch_on(0, 2);
  EXPECT_THAT(answered({.completed = {end_of(2, 137)}}),
              ElementsAre("agent 2: shutdown", "save logs of 2 at 10.0.1.1 to /user/ann/.ydl/jobs/x/logs/worker-0/1"));
  EXPECT_EQ(machine_.logs_being_saved(), 1);
  EXPECT_THAT(report(2, protocol::TaskExited{worker(0), {}, 0, ""}), IsEmpty()) << "it is over";
  EXPECT_THAT(lines(machine_.logs_saved(id(2), {}, now_)),
              ElementsAre("forget agent 2", StartsWith("job: lost worker:0#1: its container on node1 ended")));
  EXPECT_EQ(machine_.logs_being_saved(), 0);
}

TEST_F(YarnFaults, logs_that_cannot_be_saved_are_noted) {
  start();
  launch_on(0, 2);
  (void)answered({.completed = {end_of(2, 137)}});
  const auto failed = core::Result<>(core::fail(core::Errc::io, "no answer"));
  EXPECT_THAT(lines(machine_.logs_saved(id(2), failed, now_)),
              Contains("user: worker:0: the ends of its logs may be missing: no answer"));
}

TEST_F(YarnFaults, a_container_killed_for_its_memory_is_an_exit_of_its_task) {
  start();
  launch_on(0, 2);
  (void)answered({.completed = {end_of(2, -104)}});
  EXPECT_THAT(lines(machine_.logs_saved(id(2), {}, now_)), Contains("job: exited worker:0#1: 137"));
}

// Other launchers stop reading an answer at the first container that they ended themselves.
// skein: the end of a container that its master has killed (-105) hides all that follow it in the same answer.
TEST_F(YarnFaults, every_end_in_an_answer_counts_whatever_the_one_before_it_was) {
  start();
  launch_on(0, 2, "node1");
  launch_on(1, 3, "node2");
  launch_on(2, 4, "node3");
  (void)lines(machine_.release(worker(0), now_));
  const auto done = answered({.completed = {end_of(2, -105), end_of(3, -102), end_of(4, -100)}});
  EXPECT_THAT(done, Contains("forget agent 2"));
  EXPECT_THAT(done, Contains("look at 3"));
  EXPECT_THAT(done, Contains("look at 4"));
}

TEST_F(YarnFaults, a_container_that_is_lost_twice_is_told_once) {
  start();
  launch_on(0, 2);
  (void)answered({.completed = {end_of(2, 137)}});
  (void)machine_.logs_saved(id(2), {}, now_);
  EXPECT_THAT(lines(machine_.logs_saved(id(2), {}, now_)), IsEmpty());
  EXPECT_THAT(lines(machine_.not_started(id(2), connection_lost(), now_)), IsEmpty());
  EXPECT_THAT(answered({.completed = {end_of(2, -100)}}), IsEmpty());
}

}  // namespace
}  // namespace ydl::backend::test
