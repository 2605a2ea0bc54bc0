// Retries: what is charged, how long they wait, which container they get, and errors that no retry can help.
#include "script.hpp"

namespace ydl::job {
namespace {

using Strings = Script::Strings;

Plan retried(int count, RestartUnit restart = RestartUnit::task, int retries = 2) {
  auto plan = workers(count);
  plan.roles[0].restart = restart;
  plan.roles[0].retries = retries;
  return plan;
}

// Lets the task's next attempt be placed and start.
void start_again(Script& s, const std::string& task, const std::string& node = "host1") {
  s.placed(task, node);
  s.started(task);
}

// ---- charges

TEST(JobRetry, every_cause_is_judged) {
  using Charge = Judgement::Charge;
  EXPECT_FALSE(judge(Cause::cannot_start).may_help);
  for (const auto cause : {Cause::exit_code, Cause::signal, Cause::memory, Cause::start_failed, Cause::files,
                           Cause::results, Cause::no_capacity, Cause::timeout, Cause::hung})
    EXPECT_EQ(judge(cause).charge, Charge::always) << name(cause);
  EXPECT_EQ(judge(Cause::preempted).charge, Charge::never);
  for (const auto cause :
       {Cause::host_lost, Cause::agent_lost, Cause::decommissioned, Cause::cluster, Cause::disk, Cause::stopped})
    EXPECT_EQ(judge(cause).charge, Charge::when_frequent) << name(cause);
  for (const auto cause :
       {Cause::disk, Cause::files, Cause::start_failed, Cause::timeout, Cause::host_lost, Cause::agent_lost})
    EXPECT_TRUE(judge(cause).blames_host) << name(cause);
  for (const auto cause : {Cause::exit_code, Cause::signal, Cause::memory, Cause::preempted, Cause::decommissioned,
                           Cause::cluster, Cause::hung, Cause::results})
    EXPECT_FALSE(judge(cause).blames_host) << name(cause);
}

TEST(JobRetry, preemption_is_never_charged_and_waits_for_nothing) {
  Script s(retried(1, RestartUnit::task, 0));
  s.run_all();
  for (int i = 1; i < 50; ++i) {
    EXPECT_EQ(s.lost("worker:0", "preempted", Cause::preempted),
              (Strings{fmt::format("release worker:0#{}", i), fmt::format("ask worker:0#{}", i + 1)}));
    start_again(s, "worker:0");
  }
}

TEST(JobRetry, a_lost_host_is_charged_only_after_twenty_in_an_hour) {
  Script s(retried(1, RestartUnit::task, 0));
  s.run_all();
  for (int i = 0; i < 20; ++i) {
    s.lost("worker:0", "gone", Cause::host_lost);
    start_again(s, "worker:0", fmt::format("host{}", i + 2));
  }
  s.now += std::chrono::hours(1);  // the first twenty are forgotten
  for (int i = 0; i < 20; ++i) {
    s.lost("worker:0", "gone", Cause::host_lost);
    ASSERT_EQ(s.state(), "running") << i;
    start_again(s, "worker:0", fmt::format("host{}", i + 22));
  }
  EXPECT_EQ(s.lost("worker:0", "gone", Cause::host_lost), (Strings{"release worker:0#41", "finish failed 1"}));
}

TEST(JobRetry, a_task_that_lost_its_host_goes_elsewhere_at_once) {
  Script s(retried(2));
  s.run_all(Script::Hosts::many);
  EXPECT_EQ(s.lost("worker:1", "gone", Cause::host_lost),
            (Strings{"release worker:1#1", "ask worker:1#2 not on host2"}));
}

// ---- back-off

TEST(JobRetry, waits_double_up_to_a_minute_with_some_jitter) {
  Script s(retried(1, RestartUnit::task, 9));
  s.run_all();
  for (const int seconds : {1, 2, 4, 8, 16, 32, 60, 60}) {
    s.exits("worker:0", 1);
    const auto wait = *s.machine.next_deadline() - s.now;
    EXPECT_GE(wait, core::Millis(800 * seconds));
    EXPECT_LE(wait, core::Millis(1200 * seconds));
    s.waits_no_longer();
    start_again(s, "worker:0");
  }
  EXPECT_TRUE(s.said(RecordKind::task_retry, "restarting in "));
}

TEST(JobRetry, a_gang_waits_longer_each_time_whichever_task_fails) {
  Script s(retried(2, RestartUnit::gang, 9));
  s.run_all();
  for (const int seconds : {1, 2, 4}) {
    const auto* const fails = seconds == 2 ? "worker:0" : "worker:1";
    const auto* const peer = seconds == 2 ? "worker:1" : "worker:0";
    s.exits(fails, 1);
    s.killed(peer, 15);
    const auto wait = *s.machine.next_deadline() - s.now;
    EXPECT_GE(wait, core::Millis(800 * seconds));
    EXPECT_LE(wait, core::Millis(1200 * seconds));
    s.waits_no_longer();
    for (const auto* task : {"worker:0", "worker:1"}) s.placed(task);
    for (const auto* task : {"worker:0", "worker:1"}) s.started(task);
  }
}

TEST(JobRetry, an_attempt_that_ran_long_starts_the_row_anew) {
  Script s(retried(1, RestartUnit::task, 9));
  s.run_all();
  for (int i = 0; i < 4; ++i) {
    s.exits("worker:0", 1);
    s.waits_no_longer();
    start_again(s, "worker:0");
  }
  s.now += std::chrono::hours(1);
  s.exits("worker:0", 1);
  EXPECT_LE(*s.machine.next_deadline() - s.now, core::Millis(1200));
}

TEST(JobRetry, a_job_that_is_stopped_while_a_task_waits_for_its_retry_gives_its_container_back) {
  Script s(retried(2));
  s.run_all();
  s.exits("worker:1", 1);
  EXPECT_EQ(s.stop(), (Strings{"stop worker:0#1 10 s", "release worker:1#1"}));
  EXPECT_EQ(s.state_of("worker:1"), "failed");
  EXPECT_EQ(s.killed("worker:0", 15), (Strings{"release worker:0#1", "finish stopped 130"}));
}

TEST(JobRetry, a_gang_that_is_stopped_while_it_waits_for_its_restart_gives_all_containers_back) {
  Script s(retried(2, RestartUnit::gang));
  s.run_all();
  s.exits("worker:1", 1);
  s.killed("worker:0", 15);
  ASSERT_EQ(s.state(), "restarting");
  EXPECT_EQ(s.stop(), (Strings{"release worker:0#1", "release worker:1#1", "finish stopped 130"}));
}

// ---- containers

TEST(JobRetry, a_restart_of_all_keeps_the_containers_that_live) {
  Script s(retried(3, RestartUnit::gang));
  s.run_all(Script::Hosts::many);
  s.lost("worker:1", "gone", Cause::host_lost);
  s.killed("worker:0", 15);
  EXPECT_EQ(s.killed("worker:2", 15),
            (Strings{"ask worker:0#2 after #1", "ask worker:1#2 not on host2", "ask worker:2#2 after #1"}));
}

TEST(JobRetry, a_task_at_its_address_has_its_ports_again) {
  Script s(retried(2, RestartUnit::task_in_place));
  s.run_all();
  s.killed("worker:1", 9);
  EXPECT_EQ(s.waits_no_longer(), Strings{"ask worker:1#2 after #1 on 7000"});
  EXPECT_EQ(s.placed("worker:1"), Strings{"launch worker:1#2"});
}

TEST(JobRetry, a_task_whose_address_is_gone_takes_all_with_it) {
  Script s(retried(2, RestartUnit::task_in_place));
  s.run_all(Script::Hosts::many);
  EXPECT_EQ(s.lost("worker:1", "gone", Cause::host_lost), (Strings{"release worker:1#1", "stop worker:0#1 10 s"}));
  EXPECT_EQ(s.killed("worker:0", 15), (Strings{"ask worker:0#2 after #1", "ask worker:1#2 not on host2"}));
}

TEST(JobRetry, a_task_that_does_not_get_its_address_again_takes_all_with_it_and_is_charged_once) {
  Script s(retried(2, RestartUnit::task_in_place, 1));
  s.run_all();
  s.killed("worker:1", 9);
  s.waits_no_longer();
  EXPECT_EQ(s.lost("worker:1", "its container is gone"), (Strings{"stop worker:0#1 10 s", "release worker:1#2"}));
  EXPECT_EQ(s.killed("worker:0", 15), (Strings{"ask worker:0#2 after #1", "ask worker:1#3"}));
}

// ---- errors that are the same on every host

TEST(JobRetry, an_error_of_every_task_of_a_gang_ends_the_job_in_its_first_attempt) {
  Script s(retried(2, RestartUnit::gang));
  s.run_all(Script::Hosts::many);
  EXPECT_EQ(s.exits("worker:1", 1, "ModuleNotFoundError: no module named 'mxnt' (line 12)"),
            Strings{"release worker:1#1"});  // its peer gets a moment
  EXPECT_EQ(s.exits("worker:0", 1, "ModuleNotFoundError: no module named 'mxnt' (line 13)"),
            (Strings{"release worker:0#1", "finish failed 1"}));
  const auto outcome = *s.machine.snapshot().outcome;
  EXPECT_EQ(outcome.reason,
            "worker:1 failed with exit code 1: ModuleNotFoundError: no module named 'mxnt' (line 12); the same on "
            "every host: trying again cannot help; 2 retries unused (fail_fast: false tries them)");
  EXPECT_EQ(outcome.cause, Cause::exit_code);
}

TEST(JobRetry, an_error_of_every_task_that_starts_again_alone_ends_the_job_before_a_second_attempt) {
  Script s(retried(2));
  s.run_all(Script::Hosts::many);
  s.exits("worker:0", 1, "error: no such option");
  EXPECT_EQ(s.exits("worker:1", 1, "error: no such option"), (Strings{"release worker:1#1", "finish failed 1"}));
  EXPECT_EQ(s.task("worker:0").attempt, 1);
  EXPECT_NE(s.machine.snapshot().outcome->reason.find("; 2 retries unused "), std::string::npos);
}

TEST(JobRetry, peers_that_show_no_error_within_a_moment_are_restarted) {
  Script s(retried(2, RestartUnit::gang));
  s.run_all(Script::Hosts::many);
  s.exits("worker:1", 1, "cannot open /data");
  EXPECT_EQ(s.passes(core::Seconds(1)), Strings{"stop worker:0#1 10 s"});
  s.killed("worker:0", 15);
  EXPECT_EQ(s.waits_no_longer(), (Strings{"ask worker:0#2 after #1", "ask worker:1#2 not on host2"}));
}

TEST(JobRetry, the_same_error_of_one_task_on_two_hosts_ends_the_job) {
  Script s(retried(1));
  s.run_all();
  s.exits("worker:0", 2, "usage: train.py");
  EXPECT_EQ(s.waits_no_longer(), Strings{"ask worker:0#2 not on host1"});
  start_again(s, "worker:0", "host2");
  EXPECT_EQ(s.exits("worker:0", 2, "usage: train.py"), (Strings{"release worker:0#2", "finish failed 2"}));
}

TEST(JobRetry, the_same_error_on_the_same_host_may_be_the_hosts) {
  Script s(retried(1));
  s.run_all();
  s.exits("worker:0", 2, "usage: train.py");
  s.waits_no_longer();
  start_again(s, "worker:0", "host1");
  s.exits("worker:0", 2, "usage: train.py");
  EXPECT_EQ(s.state_of("worker:0"), "waiting");
}

TEST(JobRetry, errors_that_differ_that_come_late_or_without_a_line_are_tried_again) {
  const auto ends = [](const std::string& first, const std::string& second, core::Millis after, bool fail_fast = true) {
    auto plan = retried(2);
    plan.fail_fast = fail_fast;
    Script s(plan);
    s.run_all();
    s.now += after;
    s.exits("worker:0", 1, first);
    s.exits("worker:1", 1, second);
    return s.state();
  };
  EXPECT_EQ(ends("a", "a", core::Seconds(1)), "failed");
  EXPECT_EQ(ends("a", "b", core::Seconds(1)), "running");
  EXPECT_EQ(ends("a", "a", core::Seconds(31)), "running");
  EXPECT_EQ(ends("", "", core::Seconds(1)), "running");
  EXPECT_EQ(ends("a", "a", core::Seconds(1), false), "running");
  EXPECT_EQ(ends("port 4711 at 0x7f3a", "port 4712 at 0x81cc", core::Seconds(1)), "failed");
}

TEST(JobRetry, a_job_without_retries_waits_for_its_peers_errors_too) {
  Script s(retried(2, RestartUnit::task, 0));
  s.run_all();
  EXPECT_EQ(s.exits("worker:0", 1, "a"), Strings{"release worker:0#1"});
  EXPECT_EQ(s.exits("worker:1", 1, "a"), (Strings{"release worker:1#1", "finish failed 1"}));
  EXPECT_EQ(s.machine.snapshot().outcome->reason, "worker:0 failed with exit code 1");
}

TEST(JobRetry, more_tasks_than_retries_fail_fast_all_the_same) {
  Script s(retried(4));
  s.run_all();
  for (const auto* task : {"worker:0", "worker:1"}) s.exits(task, 1, "a");
  EXPECT_EQ(s.exits("worker:2", 1, "a"), Strings{"release worker:2#1"});  // no retry is left: its peer gets a moment
  EXPECT_EQ(s.exits("worker:3", 1, "a").back(), "finish failed 1");
  EXPECT_NE(s.machine.snapshot().outcome->reason.find("; 2 retries unused "), std::string::npos);
}

TEST(JobRetry, an_error_of_a_task_that_runs_again_is_not_everywhere) {
  Script s(retried(2));
  s.run_all(Script::Hosts::many);
  s.exits("worker:0", 1, "connection refused");
  s.waits_no_longer();
  start_again(s, "worker:0", "host3");
  s.exits("worker:1", 1, "connection refused");
  EXPECT_EQ(s.state(), "running");
}

TEST(JobRetry, an_error_before_a_long_run_is_forgotten) {
  Script s(retried(2, RestartUnit::gang));
  s.run_all(Script::Hosts::many);
  s.exits("worker:0", 1, "connection reset");
  s.passes(core::Seconds(1));
  s.killed("worker:1", 15);
  s.waits_no_longer();
  for (const auto* task : {"worker:0", "worker:1"}) start_again(s, task, "host3");
  s.now += std::chrono::hours(5);
  s.lost("worker:1", "gone", Cause::host_lost);
  s.killed("worker:0", 15);
  for (const auto* task : {"worker:0", "worker:1"}) start_again(s, task, "host4");
  s.exits("worker:0", 1, "connection reset");
  s.passes(core::Seconds(1));
  EXPECT_EQ(s.state(), "restarting");
}

TEST(JobRetry, errors_of_side_tasks_and_evaluators_do_not_end_the_job) {
  auto plan = workers(1);
  plan.roles.push_back({"board", 2, RoleKind::side, RestartUnit::task, 2});
  Script s(plan);
  s.run_all();
  s.exits("board:0", 1, "no such option");
  s.exits("board:1", 1, "no such option");
  EXPECT_EQ(s.state(), "running");
}

TEST(JobRetry, a_side_task_that_cannot_be_placed_again_is_only_reported) {
  auto plan = workers(1);
  plan.roles.push_back({"board", 1, RoleKind::side, RestartUnit::task, 2});
  Script s(plan);
  s.run_all();
  s.killed("board:0", 9);
  s.waits_no_longer();
  EXPECT_EQ(s.cannot_place("board:0", "no host has it"), Strings{});
  EXPECT_EQ(s.state(), "running");
  EXPECT_EQ(s.exits("worker:0", 0), (Strings{"release worker:0#1", "finish succeeded 0"}));
}

TEST(JobRetry, peers_that_fail_with_an_early_error_keep_their_containers) {
  Script s(retried(3, RestartUnit::gang));
  s.run_all(Script::Hosts::many);
  s.exits("worker:0", 1, "out of range");
  s.exits("worker:1", 1, "connection closed by peer");
  s.exits("worker:2", 1, "connection closed by peer");
  EXPECT_EQ(s.waits_no_longer(),
            (Strings{"ask worker:0#2 not on host1", "ask worker:1#2 after #1", "ask worker:2#2 after #1"}));
}

TEST(JobRetry, a_task_that_was_sent_elsewhere_once_keeps_its_container_later) {
  Script s(retried(1));
  s.run_all();
  s.exits("worker:0", 1, "a");
  EXPECT_EQ(s.waits_no_longer(), Strings{"ask worker:0#2 not on host1"});
  start_again(s, "worker:0", "host1");  // no other had room
  s.killed("worker:0", 9);
  EXPECT_EQ(s.waits_no_longer(), Strings{"ask worker:0#3 after #2"});
}

TEST(JobRetry, a_task_at_its_address_stays_there_after_an_early_error) {
  Script s(retried(2, RestartUnit::task_in_place));
  s.run_all();
  s.exits("worker:1", 1, "a");
  EXPECT_EQ(s.waits_no_longer(), Strings{"ask worker:1#2 after #1 on 7000"});
}

TEST(JobRetry, many_tasks_of_one_lost_host_are_one_incident) {
  Script s(retried(50, RestartUnit::task, 0));
  s.run_all();
  for (int i = 0; i < 50; ++i) s.lost(fmt::format("worker:{}", i), "gone", Cause::host_lost);
  EXPECT_EQ(s.state(), "running");
}

TEST(JobRetry, a_restart_of_all_keeps_the_container_of_a_task_that_waits_for_its_retry) {
  auto plan = retried(1, RestartUnit::task);
  plan.roles.push_back({"ps", 1, RoleKind::service, RestartUnit::gang, 2});
  Script s(plan);
  s.run_all();
  s.killed("worker:0", 9);
  EXPECT_EQ(s.killed("ps:0", 9), Strings{});
  EXPECT_EQ(s.waits_no_longer(), (Strings{"ask worker:0#2 after #1", "ask ps:0#2 after #1"}));
}

}  // namespace
}  // namespace ydl::job
