// Failures: which tasks restart, and when the others are stopped.
#include "script.hpp"

#include <algorithm>

namespace ydl::job {
namespace {

using Strings = Script::Strings;

TEST(JobFailure, the_first_decider_that_fails_for_good_fails_the_job_with_its_exit_code) {
  Script s(workers(2));
  s.run_all();
  EXPECT_EQ(s.exits("worker:1", 3), (Strings{"release worker:1#1", "stop worker:0#1 10 s"}));
  EXPECT_EQ(s.state(), "stopping");
  EXPECT_EQ(s.killed("worker:0", 15), (Strings{"release worker:0#1", "finish failed 3"}));
  const auto outcome = *s.machine.snapshot().outcome;
  EXPECT_EQ(outcome.reason, "worker:1 failed with exit code 3");
  EXPECT_EQ(outcome.first_failure, (AttemptId{{"worker", 1}, 1}));
  EXPECT_EQ(s.state_of("worker:0"), "stopped");
  EXPECT_EQ(s.state_of("worker:1"), "failed");
}

TEST(JobFailure, a_task_that_fails_because_it_was_stopped_is_not_the_cause) {
  Script s(workers(2));
  s.run_all();
  s.exits("worker:1", 3);
  s.exits("worker:0", 77);
  EXPECT_EQ(s.machine.snapshot().outcome->exit_code, 3);
  EXPECT_EQ(s.state_of("worker:0"), "stopped");
}

TEST(JobFailure, a_signal_becomes_the_code_a_shell_would_report) {
  Script s(workers(1));
  s.run_all();
  EXPECT_EQ(s.killed("worker:0", 9), (Strings{"release worker:0#1", "finish failed 137"}));
  EXPECT_EQ(s.machine.snapshot().outcome->reason, "worker:0 was killed by signal 9 (SIGKILL)");
}

TEST(JobFailure, out_of_memory_says_what_to_ask_for) {
  Script s(workers(1));
  s.run_all();
  s.happens(Exited{{{"worker", 0}, 1}, ExitStatus{0, 9, true, 1ULL << 30U, 1ULL << 30U}});
  EXPECT_NE(s.machine.snapshot().outcome->reason.find("ran out of memory: it reached its limit of 1 GiB"),
            std::string::npos);
  const ExitStatus by_cluster{0, 9, true, 3ULL << 30U, 1ULL << 30U, "its NodeManager"};
  EXPECT_EQ(describe(by_cluster),
            "ran out of memory: it used 3 GiB, more than its limit of 1 GiB; raise the limit with "
            "--resource ROLE:memory=SIZE");
}

// TonY#620: a worker that is lost takes all others with it.
TEST(JobFailure, a_retry_starts_the_failed_task_alone_where_its_peers_can_take_it_back) {
  auto plan = workers(2);
  plan.roles[0].retries = 1;
  Script s(plan);
  s.run_all();
  EXPECT_EQ(s.exits("worker:1", 1), Strings{});
  EXPECT_EQ(s.state_of("worker:1"), "waiting");
  EXPECT_EQ(s.waits_no_longer(), Strings{"ask worker:1#2 after #1"});
  EXPECT_EQ(s.state(), "running");
  EXPECT_EQ(s.placed("worker:1"), Strings{"launch worker:1#2"});
  s.started("worker:1");
  EXPECT_EQ(s.exits("worker:1", 1), (Strings{"release worker:1#2", "stop worker:0#1 10 s"}));
}

TEST(JobFailure, a_retry_starts_the_whole_gang_where_peers_cannot_go_on_without_it) {
  auto plan = workers(2);
  plan.roles[0].retries = 1;
  plan.roles[0].restart = RestartUnit::gang;
  Script s(plan);
  s.run_all();
  EXPECT_EQ(s.exits("worker:1", 1), (Strings{"stop worker:0#1 10 s"}));
  EXPECT_EQ(s.state(), "restarting");
  EXPECT_EQ(s.exits("worker:0", 1), Strings{});
  EXPECT_EQ(s.waits_no_longer(), (Strings{"ask worker:0#2 after #1", "ask worker:1#2 after #1"}));
  s.placed("worker:0");
  EXPECT_EQ(s.placed("worker:1"), (Strings{"launch worker:0#2", "launch worker:1#2"}));
  s.started("worker:0");
  s.started("worker:1");
  s.exits("worker:0", 0);
  EXPECT_EQ(s.exits("worker:1", 0), (Strings{"release worker:1#2", "finish succeeded 0"}));
}

TEST(JobFailure, a_gang_restart_runs_tasks_again_that_had_succeeded) {
  auto plan = workers(2);
  plan.roles[0].retries = 1;
  plan.roles[0].restart = RestartUnit::gang;
  Script s(plan);
  s.run_all();
  EXPECT_EQ(s.exits("worker:0", 0), Strings{"release worker:0#1"});
  s.exits("worker:1", 1);
  EXPECT_EQ(s.waits_no_longer(), (Strings{"ask worker:0#2", "ask worker:1#2 after #1"}));
  s.placed("worker:0");
  s.placed("worker:1");
  s.exits("worker:1", 0);
  EXPECT_EQ(s.state(), "starting");
  EXPECT_EQ(s.exits("worker:0", 0), (Strings{"release worker:0#2", "finish succeeded 0"}));
}

TEST(JobFailure, the_whole_job_is_tried_again_when_the_roles_retries_are_used_up) {
  auto plan = workers(2);
  plan.job_retries = 1;
  Script s(plan);
  s.run_all();
  s.exits("worker:0", 1);
  s.exits("worker:1", 1);
  EXPECT_EQ(s.waits_no_longer(), (Strings{"ask worker:0#2 after #1", "ask worker:1#2 after #1"}));
  EXPECT_EQ(s.machine.snapshot().attempt, 2);
}

TEST(JobFailure, the_loss_of_the_only_host_is_a_failure_that_names_it) {
  auto plan = workers(1);
  plan.roles[0].retries = 1;
  plan.one_host = true;
  Script s(plan);
  s.run_all();
  EXPECT_EQ(s.lost("worker:0", "host1 did not answer for 30 s"), (Strings{"release worker:0#1", "finish failed 1"}));
  EXPECT_EQ(s.machine.snapshot().outcome->reason, "worker:0 was lost: host1 did not answer for 30 s");
}

TEST(JobFailure, what_all_tasks_depend_on_fails_them_all) {
  Script s(workers(2));
  s.run_all();
  EXPECT_EQ(s.happens(Broken{"the scheduler failed"}), (Strings{"stop worker:0#1 10 s", "stop worker:1#1 10 s"}));
  s.killed("worker:0", 15);
  EXPECT_EQ(s.killed("worker:1", 15), (Strings{"release worker:1#1", "finish failed 1"}));
  EXPECT_EQ(s.machine.snapshot().outcome->reason, "the scheduler failed");
}

TEST(JobFailure, what_fails_all_tasks_while_they_are_about_to_start_again_ends_the_job) {
  auto plan = workers(2);
  plan.roles[0].retries = 1;
  plan.roles[0].restart = RestartUnit::gang;
  Script s(plan);
  s.run_all();
  s.exits("worker:1", 1);
  ASSERT_EQ(s.state(), "restarting");
  EXPECT_EQ(s.happens(Broken{"the ResourceManager ended this master"}),
            (Strings{"stop worker:0#1 10 s", "release worker:1#1"}));
  EXPECT_EQ(s.killed("worker:0", 15), (Strings{"release worker:0#1", "finish failed 1"}));
  EXPECT_EQ(s.machine.snapshot().outcome->reason, "the ResourceManager ended this master");
}

Plan servers_and_workers() {
  Plan plan;
  plan.roles = {{"worker", 2}, {"server", 1, RoleKind::service}};
  for (auto& role : plan.roles) role.restart = RestartUnit::gang;
  plan.roles[0].retries = 1;
  plan.rendezvous_at = TaskId{"server", 0};
  return plan;
}

TEST(JobFailure, a_rendezvous_that_failed_ends_the_job_when_no_task_shows_why) {
  Script s(servers_and_workers());
  s.run_all();
  EXPECT_EQ(s.happens(RendezvousFailed{s.attempt("server:0"), "no node registered"}), Strings{});
  EXPECT_EQ(s.happens(RendezvousFailed{s.attempt("server:0"), "and once more"}), Strings{});
  EXPECT_EQ(s.passes(core::Seconds(9)), Strings{});
  EXPECT_EQ(s.passes(core::Seconds(1)),
            (Strings{"stop worker:0#1 10 s", "stop worker:1#1 10 s", "stop server:0#1 10 s"}));
  EXPECT_EQ(s.machine.snapshot().outcome->reason, "no node registered");
}

TEST(JobFailure, a_task_whose_end_made_the_rendezvous_fail_decides_though_it_is_reported_later) {
  Script s(servers_and_workers());
  s.run_all();
  s.happens(RendezvousFailed{s.attempt("server:0"), "worker:1 does not come"});
  s.passes(core::Seconds(5));
  s.killed("worker:1", 9);
  EXPECT_EQ(s.state(), "restarting");
  s.killed("worker:0", 15);
  s.killed("server:0", 15);
  s.waits_no_longer();
  EXPECT_EQ(s.state(), "placing");
  s.passes(core::Seconds(20));
  EXPECT_EQ(s.state(), "placing");
}

TEST(JobFailure, a_failure_whose_peers_are_waited_for_decides_before_the_rendezvous_does) {
  auto plan = servers_and_workers();
  Script s(plan);
  s.run_all(Script::Hosts::many);
  s.happens(RendezvousFailed{s.attempt("server:0"), "worker:1 does not come"});
  s.now += core::Millis(9'500);
  s.exits("worker:1", 1, "ValueError: x");
  ASSERT_EQ(s.state(), "running") << "its peer has a moment to fail of the same";
  s.passes(core::Millis(500));
  EXPECT_EQ(s.state(), "restarting");
}

TEST(JobFailure, a_failed_rendezvous_of_an_earlier_start_is_ignored) {
  Script s(servers_and_workers());
  s.run_all();
  s.killed("worker:1", 9);
  ASSERT_EQ(s.state(), "restarting");
  s.happens(RendezvousFailed{s.attempt("server:0#1"), "worker:1 does not come"});
  s.killed("worker:0", 15);
  s.killed("server:0", 15);
  s.waits_no_longer();
  ASSERT_EQ(s.task("server:0").attempt, 2);
  s.happens(RendezvousFailed{s.attempt("server:0#1"), "worker:1 does not come"});
  s.passes(core::Seconds(20));
  EXPECT_EQ(s.state(), "placing");
}

TEST(JobFailure, the_container_of_the_rendezvous_is_kept_while_others_run) {
  Script s(servers_and_workers());
  s.run_all();
  EXPECT_EQ(s.exits("server:0", 0), Strings{});
  EXPECT_EQ(s.exits("worker:0", 0), Strings{"release worker:0#1"});
  EXPECT_EQ(s.exits("worker:1", 0), (Strings{"release worker:1#1", "release server:0#1", "finish succeeded 0"}));

  Script again(servers_and_workers());
  again.run_all();
  again.exits("server:0", 0);
  again.killed("worker:1", 9);
  again.killed("worker:0", 15);
  EXPECT_EQ(again.waits_no_longer().back(), "ask server:0#2 after #1");

  Script stopped(servers_and_workers());
  stopped.run_all();
  stopped.exits("server:0", 0);
  EXPECT_EQ(stopped.stop().back(), "release server:0#1");
}

TEST(JobFailure, events_of_an_old_attempt_change_nothing) {
  auto plan = workers(1);
  plan.roles[0].retries = 1;
  Script s(plan);
  s.run_all();
  s.exits("worker:0", 1);
  EXPECT_EQ(s.exits("worker:0#1", 1), Strings{});
  EXPECT_EQ(s.placed("worker:0#1"), Strings{"release worker:0#1"});
  s.waits_no_longer();
  EXPECT_EQ(s.exits("worker:0#1", 1), Strings{});
  EXPECT_EQ(s.lost("worker:0#1", "late"), Strings{});
  EXPECT_EQ(s.started("worker:0#1"), Strings{});
  EXPECT_EQ(s.state_of("worker:0"), "waiting");
}

TEST(JobFailure, a_service_that_fails_for_good_fails_the_job) {
  Plan plan;
  plan.roles = {{"worker", 1}, {"ps", 1, RoleKind::service}};
  Script s(plan);
  s.run_all();
  EXPECT_EQ(s.exits("ps:0", 5), (Strings{"release ps:0#1", "stop worker:0#1 10 s"}));
  EXPECT_EQ(s.killed("worker:0", 15), (Strings{"release worker:0#1", "finish failed 5"}));
}

TEST(JobFailure, side_tasks_and_evaluators_that_fail_are_reported_and_decide_nothing) {
  Plan plan;
  plan.roles = {{"worker", 1}, {"board", 1, RoleKind::side}, {"evaluator", 1, RoleKind::evaluator}};
  Script s(plan);
  s.run_all();
  EXPECT_EQ(s.exits("board:0", 5), Strings{"release board:0#1"});
  EXPECT_EQ(s.exits("evaluator:0", 6), Strings{"release evaluator:0#1"});
  EXPECT_TRUE(s.said(RecordKind::note, "tasks of role evaluator may fail"));
  EXPECT_EQ(s.exits("worker:0", 0), (Strings{"release worker:0#1", "finish succeeded 0"}));
}

TEST(JobFailure, the_cause_of_a_failure_is_in_its_record_in_the_snapshot_and_in_the_outcome) {
  auto plan = workers(2);
  plan.one_host = true;
  Script s(plan);
  s.run_all();
  s.lost("worker:1", "its NodeManager is gone", Cause::host_lost);
  s.killed("worker:0", 15);
  const auto failed = std::ranges::find(s.records, RecordKind::task_failed, &Record::kind);
  ASSERT_NE(failed, s.records.end());
  EXPECT_EQ(failed->cause, Cause::host_lost);
  EXPECT_EQ(s.task("worker:1").cause, Cause::host_lost);
  EXPECT_EQ(s.task("worker:0").cause, Cause::none);
  EXPECT_EQ(s.machine.snapshot().outcome->cause, Cause::host_lost);
  EXPECT_EQ(s.records.back().kind, RecordKind::job_failed);
  EXPECT_EQ(s.records.back().cause, Cause::host_lost);
}

TEST(JobFailure, the_cause_of_an_exit_is_its_code_its_signal_or_what_was_found_out) {
  EXPECT_EQ(cause_of({}), Cause::none);
  EXPECT_EQ(cause_of({.code = 3}), Cause::exit_code);
  EXPECT_EQ(cause_of({.signal = 9}), Cause::signal);
  EXPECT_EQ(cause_of({.signal = 9, .out_of_memory = true}), Cause::memory);
  EXPECT_EQ(cause_of({.code = 1, .cause = Cause::results}), Cause::results);
}

TEST(JobFailure, every_cause_has_a_name_of_its_own) {
  const auto& names = core::EnumNames<Cause>::kNames;
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(core::parse_name<Cause>(names.at(i)), static_cast<Cause>(i)) << names.at(i);
  }
  EXPECT_EQ(core::parse_name<Cause>("bad luck"), std::nullopt);
}

TEST(JobFailure, rounds_of_placing_used_at_the_start_are_there_again_at_a_restart) {
  auto plan = workers(1);
  plan.roles[0].retries = 1;
  plan.roles[0].restart = RestartUnit::gang;
  plan.allocation_rounds = 2;
  Script s(plan);
  s.begin();
  s.passes(plan.allocation_timeout);  // the first round
  s.passes(plan.allocation_backoff);
  s.placed("worker:0");
  s.started("worker:0");
  s.exits("worker:0", 1);
  s.waits_no_longer();
  EXPECT_EQ(s.state(), "placing");
  s.passes(plan.allocation_timeout);
  EXPECT_EQ(s.state(), "restarting");  // the second of two rounds is left
}

TEST(JobFailure, jobs_with_different_seeds_back_off_for_different_times) {
  const auto backoff = [](std::uint64_t seed) {
    auto plan = workers(1);
    plan.seed = seed;
    Script s(plan);
    s.begin();
    s.passes(plan.allocation_timeout);
    return *s.machine.next_deadline() - s.now;
  };
  EXPECT_EQ(backoff(7), backoff(7));
  EXPECT_NE(backoff(7), backoff(8'000'000));
}

// The scheduler of a parameter server is steered by these.
TEST(JobFailure, the_rendezvous_opens_with_each_start_of_all_tasks_and_hears_of_every_end) {
  auto plan = workers(2);
  plan.roles[0].retries = 1;
  plan.job_retries = 1;
  Script s(plan);
  s.run_all();
  EXPECT_EQ(s.rendezvous, Strings{"open"});
  s.exits("worker:1", 1);  // a retry of the task alone
  EXPECT_EQ(s.rendezvous, (Strings{"open", "worker:1#1 unknown", "worker:1#1 restarts"}));
  s.waits_no_longer();
  s.placed("worker:1");
  s.started("worker:1");
  s.rendezvous.clear();
  s.exits("worker:1", 1);  // a retry of the job
  s.killed("worker:0", 15);
  s.waits_no_longer();
  EXPECT_EQ(s.rendezvous, (Strings{"worker:1#2 unknown", "close", "worker:0#1 gone", "open"}));
  s.placed("worker:0");
  s.placed("worker:1");
  s.started("worker:0");
  s.started("worker:1");
  s.rendezvous.clear();
  s.exits("worker:0", 0);
  s.exits("worker:1", 0);
  EXPECT_EQ(s.rendezvous, (Strings{"worker:0#2 left", "worker:1#3 left"}));
}

}  // namespace
}  // namespace ydl::job
