// Jobs whose roles take tasks in and let them go.
#include "script.hpp"

#include <gmock/gmock.h>

namespace ydl::job {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

Plan elastic(int least, int most, RestartUnit restart) {
  Plan plan;
  plan.roles = {{"worker", most}};
  plan.roles[0].least = least;
  plan.roles[0].restart = restart;
  plan.roles[0].retries = 2;
  return plan;
}
Plan alone(int least, int most) {
  return elastic(least, most, RestartUnit::task);
}
Plan gang(int least, int most) {
  return elastic(least, most, RestartUnit::gang);
}

// "worker:0 worker:2": the tasks that the job has.
std::string members(const Script& job) {
  std::string text;
  for (const auto& task : job.machine.snapshot().tasks) {
    if (task.is_member) text += (text.empty() ? "" : " ") + task.id.str();
  }
  return text;
}

// The first `tasks` tasks of the job run; the others could not be placed.
void run_some(Script& job, int tasks) {
  job.begin();
  for (int i = 0; i < tasks; ++i) job.placed(fmt::format("worker:{}", i), fmt::format("host{}", i + 1));
  job.passes(10s);
  for (int i = 0; i < tasks; ++i) job.started(fmt::format("worker:{}", i));
  ASSERT_EQ(job.state(), "running");
}

// ---- start

TEST(JobElastic, all_that_are_placed_start_at_once) {
  Script job(gang(1, 2));
  job.begin();
  EXPECT_THAT(job.placed("worker:0"), IsEmpty());
  EXPECT_THAT(job.placed("worker:1"), ElementsAre("launch worker:0#1", "launch worker:1#1"));
}

TEST(JobElastic, a_gang_starts_with_enough_when_no_more_came_for_10_s) {
  Script job(gang(2, 4));
  job.begin();
  EXPECT_TRUE(job.said(RecordKind::job_placing, "requesting 4 containers (2 to 4 workers)"));
  job.placed("worker:3");
  EXPECT_THAT(job.passes(60s), IsEmpty());  // one is too few
  job.placed("worker:0");
  EXPECT_THAT(job.passes(9s), IsEmpty());
  job.placed("worker:2");  // the 10 s begin again
  EXPECT_THAT(job.passes(9s), IsEmpty());
  EXPECT_THAT(job.passes(1s),
              ElementsAre("release worker:1#1", "launch worker:0#1", "launch worker:2#1", "launch worker:3#1"));
  EXPECT_EQ(job.state_of("worker:1"), "absent");
  EXPECT_EQ(members(job), "worker:0 worker:2 worker:3");
  for (const auto* task : {"worker:0", "worker:2", "worker:3"}) job.started(task);
  EXPECT_EQ(job.state(), "running");
  EXPECT_TRUE(job.said(RecordKind::job_running, "all 3 tasks started"));
}

TEST(JobElastic, tasks_that_start_alone_stay_asked_for_and_join_later) {
  Script job(alone(1, 3));
  job.begin();
  job.placed("worker:1");
  EXPECT_THAT(job.passes(10s), ElementsAre("launch worker:1#1"));
  job.started("worker:1");
  EXPECT_EQ(job.state(), "running");
  EXPECT_THAT(job.passes(24h), IsEmpty());
  EXPECT_THAT(job.placed("worker:0"), ElementsAre("launch worker:0#1"));
  EXPECT_EQ(members(job), "worker:0 worker:1");
  job.started("worker:0");
  EXPECT_TRUE(job.said(RecordKind::task_joined, "role worker now has 2 tasks"));
}

TEST(JobElastic, fewer_than_the_least_wait_for_the_allocation_timeout) {
  auto plan = gang(2, 3);
  plan.allocation_rounds = 2;
  Script job(plan);
  job.begin();
  job.placed("worker:1");
  EXPECT_THAT(job.passes(300s), ElementsAre("release worker:0#1", "release worker:1#1", "release worker:2#1"));
  EXPECT_THAT(job.waits_no_longer(), ElementsAre("ask worker:0#2", "ask worker:1#2", "ask worker:2#2"));
  EXPECT_THAT(job.passes(300s),
              ElementsAre("release worker:0#2", "release worker:1#2", "release worker:2#2", "finish failed 1"));
}

TEST(JobElastic, a_container_that_is_lost_before_the_start_no_longer_counts) {
  Script job(gang(1, 2));
  job.begin();
  job.placed("worker:0");
  job.passes(9s);
  EXPECT_THAT(job.lost("worker:0", "gone"), ElementsAre("ask worker:0#2"));
  EXPECT_THAT(job.passes(100s), IsEmpty());
  job.placed("worker:0");
  EXPECT_THAT(job.passes(10s), ElementsAre("release worker:1#1", "launch worker:0#2"));
}

TEST(JobElastic, a_container_that_is_there_is_waited_for_however_long_its_files_take) {
  Script job(gang(1, 3));
  job.begin();
  job.placed("worker:0");
  job.granted("worker:1");
  EXPECT_THAT(job.passes(10s), IsEmpty());
  EXPECT_THAT(job.passes(60s), IsEmpty());
  job.placed("worker:1");
  EXPECT_THAT(job.passes(10s), ElementsAre("release worker:2#1", "launch worker:0#1", "launch worker:1#1"));
}

TEST(JobElastic, a_container_that_failed_is_not_waited_for) {
  Script job(gang(1, 2));
  job.begin();
  job.placed("worker:0");
  job.granted("worker:1");
  job.happens(HostFailed{job.attempt("worker:1"), "host1", Cause::disk, "disk"});
  EXPECT_THAT(job.passes(10s), ElementsAre("release worker:1#1", "launch worker:0#1"));
}

TEST(JobElastic, a_role_that_is_not_elastic_is_waited_for) {
  auto plan = gang(1, 2);
  plan.roles.push_back({"ps", 1, RoleKind::service, RestartUnit::gang});
  Script job(plan);
  job.begin();
  job.placed("worker:0");
  EXPECT_THAT(job.passes(20s), IsEmpty());
  job.placed("ps:0");
  EXPECT_THAT(job.passes(10s), ElementsAre("release worker:1#1", "launch worker:0#1", "launch ps:0#1"));
}

TEST(JobElastic, one_that_cannot_be_placed_is_left_out_while_enough_remain) {
  Script job(alone(1, 2));
  job.begin();
  EXPECT_THAT(job.cannot_place("worker:1", "no such host"), IsEmpty());
  EXPECT_EQ(job.state_of("worker:1"), "absent");
  EXPECT_THAT(job.placed("worker:0"), ElementsAre("launch worker:0#1"));
  Script other(alone(2, 3));
  other.begin();
  other.cannot_place("worker:2", "no such host");
  EXPECT_THAT(other.cannot_place("worker:1", "no such host"), ElementsAre("release worker:0#1", "finish failed 1"));
}

// ---- the end

TEST(JobElastic, the_job_succeeds_when_those_it_has_succeed_and_what_was_asked_for_is_given_back) {
  Script job(alone(2, 3));
  run_some(job, 2);
  job.exits("worker:0", 0);
  EXPECT_THAT(job.exits("worker:1", 0), ElementsAre("release worker:1#1", "release worker:2#1", "finish succeeded 0"));
}

TEST(JobElastic, a_stop_gives_back_what_was_asked_for) {
  Script job(alone(1, 2));
  run_some(job, 1);
  EXPECT_THAT(job.stop(), ElementsAre("release worker:1#1", "stop worker:0#1 10 s"));
  EXPECT_THAT(job.placed("worker:1"), ElementsAre("release worker:1#1"));
  EXPECT_THAT(job.killed("worker:0", 15), ElementsAre("release worker:0#1", "finish stopped 130"));
}

TEST(JobElastic, an_error_in_all_tasks_that_the_job_has_is_the_jobs_error) {
  Script job(gang(2, 4));
  run_some(job, 2);
  job.exits("worker:0", 1, "SyntaxError");
  job.exits("worker:1", 1, "SyntaxError");
  EXPECT_EQ(job.state(), "failed");
  EXPECT_THAT(job.machine.snapshot().outcome->reason, ::testing::HasSubstr("the same on every host"));
}

// ---- tasks alone

TEST(JobElastic, a_lost_task_alone_is_left_after_30_s_and_joins_when_it_has_a_container) {
  Script job(alone(1, 2));
  job.run_all(Script::Hosts::many);
  EXPECT_THAT(job.lost("worker:1", "host gone", Cause::host_lost),
              ElementsAre("release worker:1#1", "ask worker:1#2 not on host2"));
  EXPECT_THAT(job.passes(29s), IsEmpty());
  EXPECT_EQ(members(job), "worker:0 worker:1");
  EXPECT_THAT(job.passes(1s), IsEmpty());
  EXPECT_EQ(members(job), "worker:0");
  EXPECT_TRUE(job.said(RecordKind::task_absent, "role worker now has 1 task"));
  EXPECT_THAT(job.passes(1h), IsEmpty());
  EXPECT_THAT(job.placed("worker:1"), ElementsAre("launch worker:1#2"));
  EXPECT_EQ(members(job), "worker:0 worker:1");
}

TEST(JobElastic, a_job_does_not_wait_for_a_task_that_it_goes_on_without) {
  Script job(alone(1, 2));
  job.run_all(Script::Hosts::many);
  job.lost("worker:1", "host gone", Cause::host_lost);
  job.exits("worker:0", 0);
  EXPECT_EQ(job.state(), "running");  // the container may still come
  EXPECT_THAT(job.passes(30s), ElementsAre("release worker:1#2", "finish succeeded 0"));
}

TEST(JobElastic, the_least_tasks_alone_have_the_allocation_timeout) {
  Script job(alone(2, 3));
  job.run_all(Script::Hosts::many);
  job.lost("worker:1", "host gone", Cause::host_lost);
  job.lost("worker:2", "host gone", Cause::host_lost);
  job.passes(30s);
  EXPECT_EQ(members(job), "worker:0 worker:2");
  EXPECT_THAT(job.passes(299s), IsEmpty());
  EXPECT_EQ(job.state(), "running");
  job.placed("worker:2");
  EXPECT_EQ(job.state_of("worker:2"), "starting");
  EXPECT_EQ(job.state_of("worker:1"), "absent");
}

// ---- gangs shrink

TEST(JobElastic, a_gang_goes_on_without_a_task_that_finds_no_container_for_30_s) {
  Script job(gang(1, 3));
  job.run_all(Script::Hosts::many);
  job.lost("worker:0", "host gone", Cause::host_lost);
  job.killed("worker:1", 15);
  EXPECT_THAT(job.killed("worker:2", 15),
              ElementsAre("ask worker:0#2 not on host1", "ask worker:1#2 after #1", "ask worker:2#2 after #1"));
  job.placed("worker:1");
  job.placed("worker:2");
  EXPECT_THAT(job.passes(29s), IsEmpty());
  EXPECT_THAT(job.passes(1s), ElementsAre("release worker:0#2", "launch worker:1#2", "launch worker:2#2"));
  EXPECT_EQ(members(job), "worker:1 worker:2");
}

TEST(JobElastic, another_failure_starts_those_again_that_the_job_has) {
  Script job(gang(1, 3));
  run_some(job, 2);
  job.exits("worker:0", 1);
  job.killed("worker:1", 15);
  EXPECT_THAT(job.waits_no_longer(), ElementsAre("ask worker:0#2 after #1", "ask worker:1#2 after #1"));
  job.placed("worker:0");
  EXPECT_THAT(job.placed("worker:1"), ElementsAre("launch worker:0#2", "launch worker:1#2"));
  EXPECT_EQ(job.state_of("worker:2"), "absent");
}

TEST(JobElastic, a_job_that_is_not_placed_in_time_requests_all_containers_again) {
  Script job(gang(1, 2));
  run_some(job, 1);
  EXPECT_THAT(job.lost("worker:0", "host gone", Cause::host_lost),
              ElementsAre("release worker:0#1", "ask worker:0#2 not on host1"));
  EXPECT_THAT(job.passes(300s), ElementsAre("release worker:0#2"));
  EXPECT_THAT(job.waits_no_longer(), ElementsAre("ask worker:0#3 not on host1", "ask worker:1#3"));
}

// ---- gangs grow

TEST(JobElastic, a_gang_grows_after_grow_every_and_a_save) {
  Script job(gang(1, 3));
  run_some(job, 1);
  EXPECT_THAT(job.saved("worker:0"), IsEmpty());
  EXPECT_THAT(job.passes(10min), ElementsAre("ask worker:1#2", "ask worker:2#2"));
  EXPECT_THAT(job.passes(1h), IsEmpty());
  job.placed("worker:2", "host3");
  EXPECT_EQ(members(job), "worker:0");
  EXPECT_THAT(job.saved("worker:0"), IsEmpty());  // more may come
  EXPECT_THAT(job.passes(10s), ElementsAre("release worker:1#2"));
  EXPECT_THAT(job.saved("worker:0"), ElementsAre("stop worker:0#1 10 s"));
  // What was saved is there for the new one, too: it is prepared once more.
  EXPECT_THAT(job.killed("worker:0", 15), ElementsAre("ask worker:0#2 after #1", "ask worker:2#3 after #2"));
  job.placed("worker:2");
  EXPECT_THAT(job.placed("worker:0"), ElementsAre("launch worker:0#2", "launch worker:2#3"));
  EXPECT_EQ(members(job), "worker:0 worker:2");
  EXPECT_TRUE(job.said(RecordKind::task_joined, "role worker now has 2 tasks"));
}

TEST(JobElastic, to_grow_costs_no_retry) {
  auto plan = gang(1, 2);
  plan.roles[0].retries = 0;
  Script job(plan);
  run_some(job, 1);
  job.saved("worker:0");
  job.passes(10min);
  job.placed("worker:1");
  job.saved("worker:0");
  EXPECT_THAT(job.killed("worker:0", 15), ElementsAre("ask worker:0#2 after #1", "ask worker:1#3 after #2"));
  job.placed("worker:1");
  EXPECT_THAT(job.placed("worker:0"), ElementsAre("launch worker:0#2", "launch worker:1#3"));
  job.started("worker:0");
  job.started("worker:1");
  job.exits("worker:0", 0);
  EXPECT_EQ(job.state(), "running");
  job.exits("worker:1", 0);
  EXPECT_EQ(job.state(), "succeeded");
}

TEST(JobElastic, a_gang_that_saves_nothing_asks_for_nothing) {
  Script job(gang(1, 2));
  run_some(job, 1);
  EXPECT_THAT(job.passes(1h), IsEmpty());
  EXPECT_FALSE(job.machine.next_deadline());
  EXPECT_THAT(job.saved("worker:0"), ElementsAre("ask worker:1#2"));
}

TEST(JobElastic, containers_that_no_save_follows_are_given_back) {
  Script job(gang(1, 2));
  run_some(job, 1);
  job.saved("worker:0");
  job.passes(10min);
  job.placed("worker:1");
  EXPECT_THAT(job.passes(10min), ElementsAre("release worker:1#2"));
  EXPECT_THAT(job.saved("worker:0"), IsEmpty());
  EXPECT_THAT(job.passes(10min), ElementsAre("ask worker:1#3"));
}

TEST(JobElastic, a_warning_gives_back_what_the_gang_would_grow_by) {
  Script job(gang(1, 3));
  run_some(job, 1);
  job.saved("worker:0");
  job.passes(10min);
  job.placed("worker:1");
  EXPECT_THAT(job.warned("worker:0"),
              ElementsAre("warn worker:0#1 of worker:0 14 s", "release worker:1#2", "release worker:2#2"));
}

TEST(JobElastic, a_failure_while_the_gang_would_grow_takes_the_spare_tasks_in) {
  Script job(gang(1, 3));
  run_some(job, 1);
  job.saved("worker:0");
  job.passes(10min);
  job.placed("worker:1", "host2");
  EXPECT_THAT(job.lost("worker:0", "host gone", Cause::host_lost),
              ElementsAre("release worker:0#1", "release worker:2#2", "ask worker:0#2 not on host1",
                          "ask worker:1#3 after #2"));
  job.placed("worker:1", "host2");
  EXPECT_THAT(job.placed("worker:0"), ElementsAre("launch worker:0#2", "launch worker:1#3"));
}

TEST(JobElastic, the_first_task_of_a_gang_is_known_to_have_saved_for_all) {
  Script job(gang(1, 2));
  job.run_all(Script::Hosts::many);
  job.saved("worker:1");
  EXPECT_FALSE(job.task("worker:1").saved_as_first);
  job.saved("worker:0");
  EXPECT_EQ(job.task("worker:0").saved_as_first, job.now);
  job.lost("worker:0", "host gone", Cause::host_lost);
  job.killed("worker:1", 15);
  job.placed("worker:1");
  job.passes(30s);
  job.started("worker:1");
  job.saved("worker:1");
  EXPECT_EQ(job.task("worker:1").saved_as_first, job.now);
}

TEST(JobElastic, a_spare_task_that_is_lost_is_not_missed) {
  Script job(gang(1, 2));
  run_some(job, 1);
  job.saved("worker:0");
  job.passes(10min);
  job.placed("worker:1");
  job.lost("worker:1", "host gone", Cause::host_lost);
  EXPECT_EQ(job.state_of("worker:1"), "absent");
  EXPECT_THAT(job.saved("worker:0"), IsEmpty());
  EXPECT_THAT(job.passes(10min), ElementsAre("ask worker:1#3"));
}

TEST(JobElastic, a_gang_that_hangs_is_found_while_a_spare_task_waits) {
  auto plan = gang(1, 2);
  plan.stall_timeout = 1min;
  Script job(plan);
  run_some(job, 1);
  job.saved("worker:0");
  job.passes(10min);
  job.placed("worker:1");
  EXPECT_THAT(job.falls_silent("worker:0"), ElementsAre("stop worker:0#1 10 s with stacks"));
}

// ---- hosts

TEST(JobElastic, a_role_with_enough_tasks_does_not_fail_for_lack_of_hosts) {
  auto plan = alone(1, 2);
  plan.blacklist.mode = Blacklist::Mode::strict;
  Script job(plan);
  job.run_all(Script::Hosts::many);
  job.lost("worker:1", "host gone", Cause::host_lost);
  EXPECT_THAT(job.happens(NoHostLeft{"worker"}), IsEmpty());
  EXPECT_EQ(job.state(), "running");
  job.passes(30s);
  EXPECT_EQ(members(job), "worker:0");
}

TEST(JobElastic, what_keeps_a_task_waiting_that_the_job_goes_on_without_is_not_told) {
  Script job(alone(1, 2));
  run_some(job, 1);
  job.waits("worker:1", "the queue is full");
  EXPECT_FALSE(job.said(RecordKind::task_waiting, "the queue is full"));
  EXPECT_EQ(job.task("worker:1").reason, "the queue is full");
}

// ---- another master

TEST(JobElastic, another_master_goes_on_with_the_same_tasks) {
  Script job(alone(1, 3));
  run_some(job, 1);
  job.placed("worker:2", "host3");
  EXPECT_THAT(job.another_master(), ElementsAre("adopt worker:0#1 launched on host1", "ask worker:1#2",
                                                "adopt worker:2#1 launched on host3", "launch worker:2#1"));
  EXPECT_EQ(members(job), "worker:0 worker:2");
  EXPECT_THAT(job.placed("worker:1"), ElementsAre("launch worker:1#2"));
}

TEST(JobElastic, another_master_goes_on_with_the_growth_of_a_gang) {
  Script job(gang(1, 3));
  run_some(job, 1);
  job.saved("worker:0");
  job.passes(10min);
  job.placed("worker:1", "host2");
  EXPECT_THAT(job.another_master(),
              ElementsAre("adopt worker:0#1 launched on host1", "adopt worker:1#2 placed on host2", "ask worker:2#3"));
  EXPECT_THAT(job.placed("worker:2"), IsEmpty());
  EXPECT_THAT(job.saved("worker:0"), ElementsAre("stop worker:0#1 10 s"));
}

TEST(JobElastic, another_master_starts_a_gang_with_the_tasks_it_has) {
  Script job(gang(1, 2));
  job.begin();
  job.placed("worker:1", "host2");
  job.passes(9s);
  EXPECT_THAT(job.another_master(), ElementsAre("ask worker:0#2", "adopt worker:1#1 placed on host2"));
  EXPECT_THAT(job.passes(9s), IsEmpty());
  EXPECT_THAT(job.passes(1s), ElementsAre("release worker:0#2", "launch worker:1#1"));
}

}  // namespace
}  // namespace ydl::job
