// Tasks that hang, and tasks that are told before they lose their containers.
#include "script.hpp"

namespace ydl::job {
namespace {

using Strings = Script::Strings;

Plan watched(int count, RestartUnit restart) {
  auto plan = workers(count);
  plan.roles[0].restart = restart;
  plan.roles[0].retries = 1;
  plan.stall_timeout = std::chrono::minutes(10);
  return plan;
}

Plan with_servers(int workers_count) {
  auto plan = watched(workers_count, RestartUnit::gang);
  plan.roles.push_back({"server", 1, RoleKind::service, RestartUnit::gang});
  return plan;
}

// ---- tasks that hang

TEST(JobHang, a_gang_hangs_when_no_task_that_decides_writes) {
  Script s(with_servers(2));
  s.run_all();
  EXPECT_EQ(s.falls_silent("server:0"), Strings{}) << "it has nothing to say";
  EXPECT_EQ(s.falls_silent("worker:1"), Strings{}) << "worker:0 may write for both";
  EXPECT_EQ(s.falls_silent("worker:0"), (Strings{"stop worker:0#1 10 s with stacks", "stop worker:1#1 10 s with stacks",
                                                 "stop server:0#1 10 s with stacks"}));
  EXPECT_TRUE(s.said(RecordKind::task_failed, "hangs: it wrote nothing for 10 min (timeouts.stall)"));
  EXPECT_EQ(s.records.back().kind, RecordKind::job_restarting);
  EXPECT_EQ(s.task("worker:0").cause, Cause::hung);
}

TEST(JobHang, it_is_charged_once_for_the_gang) {
  Script s(watched(2, RestartUnit::gang));
  s.run_all();
  for (int start = 1; start <= 2; ++start) {
    s.falls_silent("worker:0");
    s.falls_silent("worker:1");
    s.killed("worker:0", 6);
    s.killed("worker:1", 6);
    if (start == 2) break;
    s.waits_no_longer();
    for (const auto* task : {"worker:0", "worker:1"}) s.placed(task);
    for (const auto* task : {"worker:0", "worker:1"}) s.started(task);
    ASSERT_EQ(s.state(), "running");
  }
  EXPECT_EQ(s.state(), "failed");
  EXPECT_EQ(s.machine.snapshot().outcome->cause, Cause::hung);
}

TEST(JobHang, a_task_that_writes_again_does_not_hang) {
  Script s(watched(2, RestartUnit::gang));
  s.run_all();
  s.falls_silent("worker:0");
  s.writes_again("worker:0");
  EXPECT_EQ(s.falls_silent("worker:1"), Strings{});
  EXPECT_EQ(s.state(), "running");
}

TEST(JobHang, a_task_that_starts_again_alone_answers_for_itself) {
  Script s(watched(2, RestartUnit::task));
  s.run_all();
  EXPECT_EQ(s.falls_silent("worker:1"), (Strings{"stop worker:1#1 10 s with stacks"}));
  EXPECT_EQ(s.killed("worker:1", 6), Strings{});
  EXPECT_EQ(s.waits_no_longer(), (Strings{"ask worker:1#2 after #1"}));
  EXPECT_EQ(s.state_of("worker:0"), "running");
}

TEST(JobHang, peers_that_have_ended_do_not_count) {
  Script s(watched(2, RestartUnit::gang));
  s.run_all();
  s.exits("worker:1", 0);
  EXPECT_EQ(s.falls_silent("worker:0"), (Strings{"stop worker:0#1 10 s with stacks"}));
}

TEST(JobHang, a_task_whose_results_are_being_saved_does_not_hang) {
  Script s(watched(1, RestartUnit::gang));
  s.run_all();
  s.saves("worker:0");
  EXPECT_EQ(s.falls_silent("worker:0"), Strings{});
}

// ---- tasks that will lose their containers

TEST(JobWarning, the_whole_gang_is_told) {
  Script s(watched(2, RestartUnit::gang));
  s.run_all();
  EXPECT_EQ(s.warned("worker:1"), (Strings{"warn worker:0#1 of worker:1 14 s", "warn worker:1#1 of worker:1 14 s"}));
  EXPECT_TRUE(s.said(RecordKind::task_warned,
                     "will lose its container in 14 s: the cluster needs its container; nothing of it was saved yet"));
  EXPECT_EQ(s.warned("worker:1"), Strings{}) << "it is said once";
}

TEST(JobWarning, a_task_that_starts_again_alone_is_told_alone) {
  Script s(watched(2, RestartUnit::task));
  s.run_all();
  EXPECT_EQ(s.warned("worker:1", Cause::decommissioned), (Strings{"warn worker:1#1 of worker:1 14 s"}));
  EXPECT_TRUE(s.said(RecordKind::task_warned, "its host is leaving the cluster"));
}

TEST(JobWarning, the_age_of_the_last_save_is_told) {
  Script s(watched(1, RestartUnit::task));
  s.run_all();
  s.saved("worker:0");
  s.now += core::Seconds(3);
  s.warned("worker:0");
  EXPECT_TRUE(s.said(RecordKind::task_warned, "it was last saved 3 s ago"));
  s.lost("worker:0", "preempted", Cause::preempted);
  EXPECT_TRUE(s.task("worker:0").saved_at.has_value()) << "the next attempt continues from it";
}

TEST(JobWarning, a_warning_that_is_over_is_called_off_unless_another_holds) {
  Script s(watched(2, RestartUnit::gang));
  s.run_all();
  s.warned("worker:0");
  s.warned("worker:1");
  EXPECT_EQ(s.warning_over("worker:0"), Strings{});
  EXPECT_EQ(s.warning_over("worker:1"), (Strings{"call off worker:0#1", "call off worker:1#1"}));
  EXPECT_EQ(s.warning_over("worker:1"), Strings{});
}

TEST(JobWarning, an_error_while_one_of_the_gang_is_warned_is_not_charged) {
  auto plan = watched(2, RestartUnit::gang);
  plan.roles[0].retries = 0;
  Script s(plan);
  s.run_all();
  s.warned("worker:1");
  EXPECT_EQ(s.exits("worker:0", 1), (Strings{"stop worker:1#1 10 s"})) << "its peer has closed their connection";
  EXPECT_EQ(s.task("worker:0").cause, Cause::preempted);
  EXPECT_EQ(s.state(), "restarting");
}

TEST(JobWarning, an_end_after_its_signal_is_a_preemption_whatever_its_code) {
  auto plan = watched(1, RestartUnit::task);
  plan.roles[0].retries = 0;
  Script s(plan);
  s.run_all();
  s.warned("worker:0");
  ExitStatus saved_and_left;
  saved_and_left.cause = Cause::preempted;
  EXPECT_EQ(s.happens(Exited{s.attempt("worker:0"), saved_and_left}), (Strings{"ask worker:0#2 after #1"}));
  EXPECT_TRUE(s.said(RecordKind::task_failed, "ended with exit code 0 after its warning"));
  s.placed("worker:0");
  s.started("worker:0");
  EXPECT_EQ(s.exits("worker:0", 1), (Strings{"release worker:0#2", "finish failed 1"})) << "the warning is forgotten";
}

TEST(JobWarning, memory_is_charged_with_a_warning_as_without) {
  Script s(watched(1, RestartUnit::task));
  s.run_all();
  s.warned("worker:0");
  ExitStatus killed{0, 9};
  killed.out_of_memory = true;
  s.happens(Exited{s.attempt("worker:0"), killed});
  EXPECT_EQ(s.task("worker:0").cause, Cause::memory);
}

}  // namespace
}  // namespace ydl::job
