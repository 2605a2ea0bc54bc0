// Failures: who may try again, who takes the others down.
#include "script.hpp"

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
  EXPECT_EQ(outcome.reason, "worker:1 ended with code 3");
  EXPECT_EQ(outcome.cause, (AttemptId{{"worker", 1}, 1}));
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
  EXPECT_EQ(s.machine.snapshot().outcome->reason, "worker:0 was ended by signal 9 (SIGKILL)");
}

TEST(JobFailure, out_of_memory_says_what_to_ask_for) {
  Script s(workers(1));
  s.run_all();
  s.happens(Exited{{{"worker", 0}, 1}, ExitStatus{0, 9, true, 1ULL << 30U, 1ULL << 30U}});
  EXPECT_NE(s.machine.snapshot().outcome->reason.find("ran out of memory: it reached its limit of 1 GiB"),
            std::string::npos);
  const ExitStatus by_cluster{0, 9, true, 3ULL << 30U, 1ULL << 30U, "its NodeManager"};
  EXPECT_EQ(describe(by_cluster),
            "ran out of memory: it used 3 GiB and so passed its limit of 1 GiB; ask for more with "
            "--resource ROLE:memory=SIZE");
}

TEST(JobFailure, a_retry_starts_the_failed_task_alone_where_its_peers_can_take_it_back) {
  auto plan = workers(2);
  plan.roles[0].retries = 1;
  Script s(plan);
  s.run_all();
  EXPECT_EQ(s.exits("worker:1", 1), (Strings{"release worker:1#1", "ask worker:1#2"}));
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
  EXPECT_EQ(s.exits("worker:1", 1), (Strings{"release worker:1#1", "stop worker:0#1 10 s"}));
  EXPECT_EQ(s.state(), "restarting");
  EXPECT_EQ(s.exits("worker:0", 1), (Strings{"release worker:0#1", "ask worker:0#2", "ask worker:1#2"}));
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
  s.exits("worker:0", 0);
  EXPECT_EQ(s.exits("worker:1", 1), (Strings{"release worker:1#1", "ask worker:0#2", "ask worker:1#2"}));
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
  EXPECT_EQ(s.exits("worker:1", 1), (Strings{"release worker:1#1", "ask worker:0#2", "ask worker:1#2"}));
  EXPECT_EQ(s.machine.snapshot().attempt, 2);
}

TEST(JobFailure, a_lost_host_is_a_failure_that_names_it) {
  Script s(workers(1));
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

TEST(JobFailure, events_of_an_old_attempt_change_nothing) {
  auto plan = workers(1);
  plan.roles[0].retries = 1;
  Script s(plan);
  s.run_all();
  s.exits("worker:0", 1);
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
  EXPECT_TRUE(s.said(RecordKind::note, "the job does not depend on role evaluator"));
  EXPECT_EQ(s.exits("worker:0", 0), (Strings{"release worker:0#1", "finish succeeded 0"}));
}

}  // namespace
}  // namespace ydl::job
