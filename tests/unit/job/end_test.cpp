// How jobs end: deciders, evaluators, users, time.
#include "script.hpp"

#include <algorithm>

namespace ydl::job {
namespace {

using Strings = Script::Strings;

Plan tensorflow_like() {
  Plan plan;
  plan.roles = {{"chief", 1}, {"worker", 1}, {"ps", 1, RoleKind::service}, {"evaluator", 1, RoleKind::evaluator}};
  return plan;
}

TEST(JobEnd, all_deciders_must_succeed) {
  Script s(workers(2));
  s.run_all();
  EXPECT_EQ(s.exits("worker:0", 0), Strings{"release worker:0#1"});
  EXPECT_EQ(s.state(), "running");
  EXPECT_EQ(s.exits("worker:1", 0), (Strings{"release worker:1#1", "finish succeeded 0"}));
}

TEST(JobEnd, services_are_stopped_when_the_deciders_are_done) {
  Plan plan;
  plan.roles = {{"worker", 1}, {"ps", 2, RoleKind::service}};
  Script s(plan);
  s.run_all();
  EXPECT_EQ(s.exits("worker:0", 0), (Strings{"release worker:0#1", "stop ps:0#1 10 s", "stop ps:1#1 10 s"}));
  EXPECT_EQ(s.state(), "finishing");
  EXPECT_TRUE(s.said(RecordKind::job_finishing, "the worker succeeded; stopping the 2 ps"));
  s.killed("ps:0", 15);
  EXPECT_EQ(s.killed("ps:1", 9), (Strings{"release ps:1#1", "finish succeeded 0"}));
}

TEST(JobEnd, an_evaluator_gets_its_time_after_the_deciders) {
  Script s(tensorflow_like());
  s.run_all();
  s.exits("chief:0", 0);
  EXPECT_EQ(s.exits("worker:0", 0), (Strings{"release worker:0#1", "stop ps:0#1 10 s"}));
  s.killed("ps:0", 15);
  EXPECT_EQ(s.state(), "finishing");
  EXPECT_EQ(s.exits("evaluator:0", 0), (Strings{"release evaluator:0#1", "finish succeeded 0"}));
}

TEST(JobEnd, an_evaluator_that_does_not_finish_is_stopped_and_the_job_still_succeeds) {
  Script s(tensorflow_like());
  s.run_all();
  s.exits("chief:0", 0);
  s.exits("worker:0", 0);
  s.killed("ps:0", 15);
  EXPECT_EQ(s.passes(core::Seconds(600)), Strings{"stop evaluator:0#1 10 s"});
  EXPECT_EQ(s.killed("evaluator:0", 9), (Strings{"release evaluator:0#1", "finish succeeded 0"}));
  EXPECT_TRUE(s.said(RecordKind::note, "did not finish within 10 min after the chief and the worker succeeded"));
}

TEST(JobEnd, a_service_that_fails_after_the_deciders_changes_nothing) {
  Script s(tensorflow_like());
  s.run_all();
  s.exits("chief:0", 0);
  s.exits("worker:0", 0);
  EXPECT_EQ(s.exits("ps:0", 1), Strings{"release ps:0#1"});
  EXPECT_EQ(s.exits("evaluator:0", 1), (Strings{"release evaluator:0#1", "finish succeeded 0"}));
}

TEST(JobEnd, a_service_that_is_starting_again_is_dropped_when_the_deciders_are_done) {
  Plan plan;
  plan.roles = {{"worker", 1}, {"ps", 1, RoleKind::service, RestartUnit::task, 1}};
  Script s(plan);
  s.run_all();
  EXPECT_EQ(s.exits("ps:0", 1), Strings{});
  EXPECT_EQ(s.waits_no_longer(), Strings{"ask ps:0#2 after #1"});
  EXPECT_EQ(s.exits("worker:0", 0), (Strings{"release worker:0#1", "release ps:0#2", "finish succeeded 0"}));
}

TEST(JobEnd, a_service_that_waits_for_its_retry_is_dropped_when_the_deciders_are_done) {
  Plan plan;
  plan.roles = {{"worker", 1}, {"ps", 1, RoleKind::service, RestartUnit::task, 1}};
  Script s(plan);
  s.run_all();
  s.exits("ps:0", 1);
  EXPECT_EQ(s.exits("worker:0", 0), (Strings{"release worker:0#1", "release ps:0#1", "finish succeeded 0"}));
}

TEST(JobEnd, a_user_stops_a_running_job_with_grace) {
  Script s(workers(2));
  s.run_all();
  EXPECT_EQ(s.stop(), (Strings{"stop worker:0#1 10 s", "stop worker:1#1 10 s"}));
  s.exits("worker:0", 0);
  EXPECT_EQ(s.killed("worker:1", 9), (Strings{"release worker:1#1", "finish stopped 130"}));
  EXPECT_EQ(s.machine.snapshot().outcome->reason, "stopped by ann");
  EXPECT_TRUE(s.said(RecordKind::job_stopping, "stopping, as ann asked"));
}

TEST(JobEnd, a_stop_without_a_user_gives_its_cause) {
  Script s(workers(1));
  s.run_all();
  s.happens(StopRequested{"because the ydl client exited", std::nullopt});
  EXPECT_TRUE(s.said(RecordKind::job_stopping, "stopping because the ydl client exited"));
  s.exits("worker:0", 0);
  EXPECT_EQ(s.machine.snapshot().outcome->reason, "stopped because the ydl client exited");
}

TEST(JobEnd, a_second_request_shortens_the_grace) {
  Script s(workers(1));
  s.run_all();
  s.stop();
  EXPECT_EQ(s.stop(Millis(0)), Strings{"stop worker:0#1 0 ms"});
}

TEST(JobEnd, a_job_stopped_while_placing_releases_everything_at_once) {
  Script s(workers(2));
  s.begin();
  s.placed("worker:0");
  EXPECT_EQ(s.stop(), (Strings{"release worker:0#1", "release worker:1#1", "finish stopped 130"}));
}

TEST(JobEnd, a_job_stopped_during_the_back_off_ends_at_once) {
  Script s(workers(1));
  s.begin();
  s.passes(core::Seconds(300));
  ASSERT_EQ(s.state(), "restarting");
  EXPECT_EQ(s.stop(), Strings{"finish stopped 130"});
}

TEST(JobEnd, a_job_over_its_run_time_fails_as_timeout_does) {
  auto plan = workers(1);
  plan.run_timeout = core::Seconds(3600);
  Script s(plan);
  s.run_all();
  EXPECT_EQ(s.passes(core::Seconds(3600)), Strings{"stop worker:0#1 10 s"});
  EXPECT_EQ(s.killed("worker:0", 15), (Strings{"release worker:0#1", "finish failed 124"}));
  EXPECT_EQ(s.machine.snapshot().outcome->reason, "the job ran longer than its limit of 1 h (timeouts.run)");
}

TEST(JobEnd, a_stop_that_is_never_confirmed_does_not_hang_the_job) {
  Script s(workers(1));
  s.run_all();
  s.stop();
  EXPECT_EQ(s.passes(core::Seconds(24)), Strings{});
  EXPECT_EQ(s.passes(core::Seconds(1)), (Strings{"release worker:0#1", "finish stopped 130"}));
  EXPECT_EQ(s.state_of("worker:0"), "lost");
}

TEST(JobEnd, results_that_are_being_saved_are_waited_for_as_long_as_that_is_said) {
  Script s(workers(1));
  s.run_all();
  s.stop();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(s.passes(core::Seconds(14)), Strings{});
    EXPECT_EQ(s.saves("worker:0"), Strings{});
  }
  EXPECT_EQ(s.killed("worker:0", 15), (Strings{"release worker:0#1", "finish stopped 130"}));
  EXPECT_EQ(s.state_of("worker:0"), "stopped");
  EXPECT_TRUE(s.said(RecordKind::note, "saving its results"));
}

TEST(JobEnd, results_whose_saving_is_not_reported_any_more_do_not_hang_the_job) {
  Script s(workers(1));
  s.run_all();
  s.stop();
  s.passes(core::Seconds(20));
  s.saves("worker:0");
  EXPECT_EQ(s.passes(core::Seconds(14)), Strings{});
  EXPECT_EQ(s.passes(core::Seconds(1)), (Strings{"release worker:0#1", "finish stopped 130"}));
  EXPECT_EQ(s.state_of("worker:0"), "lost");
}

TEST(JobEnd, a_job_that_is_to_end_now_does_not_wait_for_results_for_ever) {
  Script s(workers(1));
  s.run_all();
  s.stop();
  s.saves("worker:0");
  s.stop(Millis(0));
  s.passes(core::Seconds(10));
  s.saves("worker:0");
  s.stop(Millis(0));  // asking again does not lengthen it
  EXPECT_EQ(s.passes(core::Seconds(4)), Strings{});
  EXPECT_EQ(s.passes(core::Seconds(1)), (Strings{"release worker:0#1", "finish stopped 130"}));
  EXPECT_EQ(s.state_of("worker:0"), "lost");
}

TEST(JobEnd, a_task_that_is_stopped_before_it_ran_has_an_end_among_the_events) {
  Script s(workers(3));
  s.begin();
  s.granted("worker:0");
  s.placed("worker:1");
  s.stop();
  std::vector<std::string> stopped;
  for (const auto& record : s.records) {
    if (record.kind == RecordKind::task_stopped) stopped.push_back(record.attempt->str());
  }
  // worker:2 appears in no event, so none reports its end.
  EXPECT_EQ(stopped, (std::vector{s.attempt("worker:0").str(), s.attempt("worker:1").str()}));
}

TEST(JobEnd, a_task_that_is_stopped_while_it_starts_has_an_end_among_the_events) {
  Script s(workers(1));
  s.begin();
  s.placed("worker:0");
  s.stop();
  s.start_failed("worker:0", Cause::start_failed, "no such file");
  EXPECT_EQ(s.state(), "stopped");
  EXPECT_TRUE(s.said(RecordKind::task_stopped, "before it started"));
}

TEST(JobEnd, a_task_that_ends_by_itself_may_save_for_as_long_as_it_takes) {
  Script s(workers(1));
  s.run_all();
  s.saves("worker:0");
  s.saves("worker:0");
  EXPECT_EQ(s.passes(core::Seconds(36'000)), Strings{});
  EXPECT_EQ(s.exits("worker:0", 0), (Strings{"release worker:0#1", "finish succeeded 0"}));
  EXPECT_EQ(std::ranges::count(s.records, RecordKind::note, &Record::kind), 1);
}

TEST(JobEnd, a_host_lost_while_stopping_ends_the_task) {
  Script s(workers(1));
  s.run_all();
  s.stop();
  EXPECT_EQ(s.lost("worker:0", "gone"), Strings{"finish stopped 130"});
}

TEST(JobEnd, after_the_end_nothing_happens_any_more) {
  Script s(workers(1));
  s.run_all();
  s.exits("worker:0", 0);
  EXPECT_EQ(s.stop(), Strings{});
  EXPECT_EQ(s.exits("worker:0", 1), Strings{});
  EXPECT_FALSE(s.machine.next_deadline());
  EXPECT_EQ(s.state(), "succeeded");
}

}  // namespace
}  // namespace ydl::job
