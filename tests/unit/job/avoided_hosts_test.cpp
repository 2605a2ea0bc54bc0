// Hosts that a job does not use again, and for how long.
#include "script.hpp"

namespace ydl::job {
namespace {

using Strings = Script::Strings;
using Mode = Blacklist::Mode;

Plan avoiding(Mode mode, int count = 1) {
  auto plan = workers(count);
  plan.roles[0].retries = 9;
  plan.blacklist.mode = mode;
  return plan;
}

void start_again(Script& s, const std::string& task, const std::string& node) {
  s.placed(task, node);
  s.started(task);
}

TEST(AvoidedHosts, a_host_that_was_at_fault_twice_is_avoided_for_an_hour) {
  Script s(avoiding(Mode::decay, 2));
  s.run_all(Script::Hosts::many);
  s.lost("worker:1", "gone", Cause::host_lost);
  start_again(s, "worker:1", "host2");
  EXPECT_EQ(s.lost("worker:1", "gone", Cause::host_lost),
            (Strings{"avoid host2", "release worker:1#2", "ask worker:1#3 not on host2"}));
  EXPECT_TRUE(s.said(RecordKind::host_avoided, "host2 is avoided for 1 h: 2 containers lost"));
  const auto avoided = s.machine.snapshot().avoided;
  ASSERT_EQ(avoided.size(), 1U);
  EXPECT_EQ(avoided[0].node, "host2");
  EXPECT_EQ(avoided[0].reason, "2 containers lost");
  EXPECT_EQ(*avoided[0].until, s.now + std::chrono::hours(1));
  start_again(s, "worker:1", "host3");
  EXPECT_EQ(s.passes(std::chrono::hours(1)), Strings{"forgive host2"});
  EXPECT_TRUE(s.said(RecordKind::host_forgiven, "host2 may be used again"));
}

TEST(AvoidedHosts, faults_of_the_task_and_old_faults_do_not_count) {
  Script s(avoiding(Mode::decay));
  s.run_all();
  for (int i = 0; i < 4; ++i) {
    s.exits("worker:0", 1);
    s.waits_no_longer();
    start_again(s, "worker:0", "host1");
  }
  s.lost("worker:0", "gone", Cause::host_lost);
  start_again(s, "worker:0", "host1");
  s.now += std::chrono::hours(1);
  s.lost("worker:0", "gone", Cause::host_lost);
  EXPECT_TRUE(s.machine.snapshot().avoided.empty());
}

TEST(AvoidedHosts, containers_that_fail_before_they_are_placed_count_too) {
  Script s(avoiding(Mode::decay));
  s.begin();
  const HostFailed failed{{{"worker", 0}, 1}, "host1", Cause::disk, "its disk is full"};
  EXPECT_EQ(s.happens(failed), Strings{});
  EXPECT_EQ(s.happens(failed), Strings{"avoid host1"});
  EXPECT_EQ(s.machine.snapshot().avoided[0].reason, "2 containers with a full or broken disk");
}

TEST(AvoidedHosts, when_no_host_is_left_the_oldest_entry_is_relaxed) {
  Script s(avoiding(Mode::decay));
  s.begin();
  for (const auto* host : {"host1", "host1", "host2", "host2"})
    s.happens(HostFailed{{{"worker", 0}, 1}, host, Cause::disk, "full"});
  EXPECT_EQ(s.happens(NoHostLeft{"worker"}), Strings{"forgive host1"});
  EXPECT_TRUE(s.said(RecordKind::host_forgiven, "host1 is used again early"));
  EXPECT_EQ(s.happens(NoHostLeft{"worker"}), Strings{"forgive host2"});
  EXPECT_EQ(s.happens(NoHostLeft{"worker"}), Strings{});
}

TEST(AvoidedHosts, a_gang_that_finds_no_room_in_time_gets_avoided_hosts_back_before_it_gives_up) {
  Script s(avoiding(Mode::decay));
  s.begin();
  for (int i = 0; i < 2; ++i) s.happens(HostFailed{{{"worker", 0}, 1}, "host1", Cause::disk, "full"});
  EXPECT_EQ(s.passes(std::chrono::minutes(5)), Strings{"forgive host1"});
  EXPECT_EQ(s.state(), "placing");
  s.passes(std::chrono::minutes(5));
  EXPECT_EQ(s.state(), "restarting");
}

TEST(AvoidedHosts, a_gang_that_finds_no_room_in_strict_mode_names_the_hosts_that_it_left_out) {
  auto plan = avoiding(Mode::strict);
  plan.allocation_rounds = 1;
  Script s(plan);
  s.begin();
  s.happens(HostFailed{{{"worker", 0}, 1}, "host1", Cause::disk, "its disk is full"});
  EXPECT_EQ(s.passes(std::chrono::minutes(5)), (Strings{"release worker:0#1", "finish failed 1"}));
  EXPECT_NE(s.machine.snapshot().outcome->reason.find("; avoided hosts: host1 (worker:0: its disk is full)"),
            std::string::npos);
}

TEST(AvoidedHosts, strict_uses_no_host_again_on_which_a_task_failed) {
  Script s(avoiding(Mode::strict));
  s.run_all();
  EXPECT_EQ(s.exits("worker:0", 1), (Strings{"avoid host1", "release worker:0#1"}));
  EXPECT_EQ(s.waits_no_longer(), Strings{"ask worker:0#2"});
  start_again(s, "worker:0", "host2");
  EXPECT_EQ(s.passes(std::chrono::hours(24)), Strings{});
  s.killed("worker:0", 9);
  s.waits_no_longer();
  EXPECT_EQ(s.happens(NoHostLeft{"worker"}), (Strings{"release worker:0#3", "finish failed 1"}));
  EXPECT_EQ(
      s.machine.snapshot().outcome->reason,
      "too few hosts are left for role worker: --blacklist strict avoids every host on which a task failed, and these "
      "are host1 (worker:0 failed with exit code 1), host2 (worker:0 was killed by signal 9 (SIGKILL))");
}

TEST(AvoidedHosts, strict_forgives_preemption_and_keeps_no_container_there_at_a_restart_of_all) {
  auto plan = avoiding(Mode::strict, 3);
  plan.roles[0].restart = RestartUnit::gang;
  Script s(plan);
  s.begin();
  for (const auto* task : {"worker:0", "worker:1"}) s.placed(task, "host1");
  s.placed("worker:2", "host2");
  for (const auto* task : {"worker:0", "worker:1", "worker:2"}) s.started(task);
  EXPECT_EQ(s.killed("worker:0", 9),
            (Strings{"avoid host1", "release worker:0#1", "stop worker:1#1 10 s", "stop worker:2#1 10 s"}));
  EXPECT_EQ(s.killed("worker:1", 15), Strings{"release worker:1#1"});
  s.killed("worker:2", 15);
  EXPECT_EQ(s.waits_no_longer(), (Strings{"ask worker:0#2", "ask worker:1#2", "ask worker:2#2 after #1"}));
  for (const auto* task : {"worker:0", "worker:1", "worker:2"}) start_again(s, task, "host2");
  s.lost("worker:1", "preempted", Cause::preempted);
  EXPECT_EQ(s.machine.snapshot().avoided.size(), 1U);
}

TEST(AvoidedHosts, off_avoids_nothing) {
  Script s(avoiding(Mode::off));
  s.begin();
  for (int i = 0; i < 5; ++i) s.happens(HostFailed{{{"worker", 0}, 1}, "host1", Cause::disk, "full"});
  EXPECT_EQ(s.happens(NoHostLeft{"worker"}), Strings{});
  EXPECT_TRUE(s.machine.snapshot().avoided.empty());
}

}  // namespace
}  // namespace ydl::job
