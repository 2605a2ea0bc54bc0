// From the first ask to the last task running.
#include "script.hpp"

#include <algorithm>

namespace ydl::job {
namespace {

using Strings = Script::Strings;

TEST(JobStart, every_task_is_asked_for_at_once) {
  Script s(workers(2));
  EXPECT_EQ(s.begin(), (Strings{"ask worker:0#1", "ask worker:1#1"}));
  EXPECT_EQ(s.state(), "placing");
  EXPECT_TRUE(s.said(RecordKind::job_placing, "requesting 2 containers (2 workers)"));
}

TEST(JobStart, no_task_is_launched_before_every_task_is_placed) {
  Script s(workers(3));
  s.begin();
  EXPECT_EQ(s.placed("worker:1"), Strings{});
  EXPECT_EQ(s.placed("worker:0"), Strings{});
  EXPECT_EQ(s.placed("worker:2"), (Strings{"launch worker:0#1", "launch worker:1#1", "launch worker:2#1"}));
  EXPECT_EQ(s.state(), "starting");
}

TEST(JobStart, the_job_runs_when_every_task_runs) {
  Script s(workers(2));
  s.begin();
  s.placed("worker:0");
  s.placed("worker:1");
  s.started("worker:0");
  EXPECT_EQ(s.state(), "starting");
  s.started("worker:1");
  EXPECT_EQ(s.state(), "running");
}

TEST(JobStart, a_task_that_ends_before_the_last_one_runs_does_not_hold_the_job_up) {
  Script s(workers(2));
  s.begin();
  s.placed("worker:0");
  s.placed("worker:1");
  s.started("worker:0");
  s.exits("worker:0", 0);
  s.started("worker:1");
  EXPECT_EQ(s.state(), "running");
  EXPECT_EQ(s.exits("worker:1", 0), (Strings{"release worker:1#1", "finish succeeded 0"}));
}

TEST(JobStart, a_container_that_was_not_requested_is_released) {
  Script s(workers(1));
  s.begin();
  s.placed("worker:0");
  EXPECT_EQ(s.happens(Placed{{{"worker", 0}, 1}, {"h", "h", {}}}), Strings{"release worker:0#1"});
  EXPECT_EQ(s.happens(Placed{{{"worker", 9}, 1}, {"h", "h", {}}}), Strings{"release worker:9#1"});
}

TEST(JobStart, a_gang_that_is_not_placed_in_time_gives_all_back_and_asks_again_after_a_random_while) {
  Script s(workers(2));
  s.begin();
  s.placed("worker:0");
  EXPECT_EQ(s.passes(core::Seconds(299)), Strings{});
  EXPECT_EQ(s.passes(core::Seconds(1)), (Strings{"release worker:0#1", "release worker:1#1"}));
  EXPECT_EQ(s.state(), "restarting");
  ASSERT_TRUE(s.machine.next_deadline());
  EXPECT_LE(*s.machine.next_deadline() - s.now, core::Seconds(10));
  EXPECT_EQ(s.passes(core::Seconds(10)), (Strings{"ask worker:0#2", "ask worker:1#2"}));
}

// TonY#573: each of two jobs has half of the cluster and waits for the other half for ever.
TEST(JobStart, two_gangs_that_hold_half_of_the_cluster_each_run_one_after_the_other) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    auto plan = workers(2);
    plan.seed = 2 * seed;
    Script one(plan);
    plan.seed = 2 * seed + 1000;
    Script other(plan);
    for (auto* job : {&one, &other}) {
      job->begin();
      job->placed("worker:0");
      job->passes(core::Seconds(300));
      ASSERT_EQ(job->state(), "restarting") << "it has given its half back";
    }
    ASSERT_NE(*one.machine.next_deadline(), *other.machine.next_deadline()) << "they must not meet again";
    const bool first = *one.machine.next_deadline() < *other.machine.next_deadline();
    for (auto* job : {first ? &one : &other, first ? &other : &one}) {
      EXPECT_EQ(job->waits_no_longer(), (Strings{"ask worker:0#2", "ask worker:1#2"}));
      job->placed("worker:0");
      EXPECT_EQ(job->placed("worker:1"), (Strings{"launch worker:0#2", "launch worker:1#2"}));
    }
  }
}

TEST(JobStart, after_the_last_round_the_job_fails_and_names_the_missing_tasks_and_why) {
  auto plan = workers(2);
  plan.allocation_rounds = 1;
  Script s(plan);
  s.begin();
  s.placed("worker:0");
  s.waits("worker:1", "the queue is full");
  EXPECT_EQ(s.passes(core::Seconds(300)), (Strings{"release worker:0#1", "release worker:1#1", "finish failed 1"}));
  EXPECT_EQ(s.machine.snapshot().outcome->reason,
            "1 of 2 tasks could not be placed within 5 min: worker:1 (the queue is full)");
}

TEST(JobStart, a_reason_for_waiting_is_said_once) {
  Script s(workers(1));
  s.begin();
  s.waits("worker:0", "the queue is full");
  s.waits("worker:0", "the queue is full");
  EXPECT_EQ(std::ranges::count(s.records, RecordKind::task_waiting, &Record::kind), 1);
}

TEST(JobStart, steps_before_a_task_is_placed_are_recorded_and_change_nothing) {
  Script s(workers(1));
  s.begin();
  EXPECT_EQ(s.granted("worker:0"), Strings{});
  EXPECT_EQ(s.reached("worker:0"), Strings{});
  EXPECT_EQ(s.machine.snapshot().tasks[0].state, TaskState::waiting);
  s.placed("worker:0");
  s.reached("worker:0");  // the agent lost its connection for a moment
  EXPECT_EQ(std::ranges::count(s.records, RecordKind::task_granted, &Record::kind), 1);
  EXPECT_EQ(std::ranges::count(s.records, RecordKind::task_reached, &Record::kind), 1);
}

TEST(JobStart, a_task_that_can_never_be_placed_fails_the_job) {
  Script s(workers(2));
  s.begin();
  s.placed("worker:0");
  EXPECT_EQ(s.cannot_place("worker:1", "no GPU is left"), (Strings{"release worker:0#1", "finish failed 1"}));
  EXPECT_EQ(s.machine.snapshot().outcome->reason, "worker:1 cannot be placed: no GPU is left");
}

// TonY#430: the other tasks wait for a container that is lost.
TEST(JobStart, a_container_lost_before_the_gang_is_complete_is_requested_again_without_using_a_retry) {
  Script s(workers(2));
  s.begin();
  s.placed("worker:0");
  EXPECT_EQ(s.lost("worker:0", "host1 went away"), Strings{"ask worker:0#2"});
  s.placed("worker:1");
  EXPECT_EQ(s.placed("worker:0"), (Strings{"launch worker:0#2", "launch worker:1#1"}));
}

TEST(JobStart, a_command_that_does_not_exist_fails_the_job_at_once_even_with_retries_left) {
  auto plan = workers(2);
  plan.roles[0].retries = 3;
  plan.job_retries = 3;
  Script s(plan);
  s.begin();
  s.placed("worker:0");
  s.placed("worker:1");
  s.started("worker:1");
  EXPECT_EQ(s.start_failed("worker:0", Cause::cannot_start, "no command 'pythn' on PATH"),
            (Strings{"release worker:0#1", "stop worker:1#1 10 s"}));
  EXPECT_EQ(s.exits("worker:1", 0), (Strings{"release worker:1#1", "finish failed 127"}));
  EXPECT_EQ(s.machine.snapshot().outcome->cause, Cause::cannot_start);
  EXPECT_EQ(s.machine.snapshot().outcome->reason, "worker:0 no command 'pythn' on PATH");
}

TEST(JobStart, a_command_that_is_not_executable_ends_the_job_with_126) {
  Script s(workers(1));
  s.begin();
  s.placed("worker:0");
  EXPECT_EQ(s.start_failed("worker:0", Cause::not_executable, "train.sh is not executable"),
            (Strings{"release worker:0#1", "finish failed 126"}));
}

TEST(JobStart, a_port_taken_by_another_program_restarts_the_gang_on_new_ports_without_using_a_retry) {
  Script s(workers(2));
  s.begin();
  s.placed("worker:0");
  s.placed("worker:1");
  s.started("worker:0");
  s.started("worker:1");
  EXPECT_EQ(s.start_failed("worker:0", Cause::port_taken, "port 7000 was taken by redis"),
            (Strings{"stop worker:0#1 10 s", "stop worker:1#1 10 s"}));
  s.killed("worker:0", 15);
  EXPECT_EQ(s.killed("worker:1", 15), (Strings{"ask worker:0#2 after #1", "ask worker:1#2 after #1"}));
}

TEST(JobStart, ports_taken_again_and_again_end_in_a_failure_that_names_the_cause) {
  Script s(workers(1));
  s.begin();
  for (int i = 0; i < 6; ++i) {
    s.placed("worker:0");
    s.started("worker:0");
    s.start_failed("worker:0", Cause::port_taken, "port 7000 was taken");
    if (s.state() == "restarting") s.killed("worker:0", 15);
  }
  EXPECT_EQ(s.state(), "failed");
  EXPECT_NE(s.machine.snapshot().outcome->reason.find("--port-range"), std::string::npos);
}

TEST(JobStart, a_task_that_does_not_start_in_time_is_stopped_and_its_retry_waits_for_its_end) {
  auto plan = workers(1);
  plan.roles[0].retries = 1;
  Script s(plan);
  s.begin();
  s.placed("worker:0");
  EXPECT_EQ(s.passes(core::Seconds(120)), Strings{"stop worker:0#1 0 ms"});
  EXPECT_EQ(s.killed("worker:0", 9), Strings{"release worker:0#1"});
  EXPECT_EQ(s.waits_no_longer(), Strings{"ask worker:0#2 not on host1"});
}

}  // namespace
}  // namespace ydl::job
