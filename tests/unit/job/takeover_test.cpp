// What another master does with a job whose master was lost.
#include "script.hpp"

#include <gmock/gmock.h>

namespace ydl::job {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using namespace std::chrono_literals;

Plan gang(int count) {
  auto plan = workers(count);
  plan.roles[0].restart = RestartUnit::gang;
  plan.roles[0].retries = 2;
  return plan;
}

TEST(JobTakeover, tasks_that_run_are_found_again_and_nothing_else_is_done) {
  Script job(workers(2));
  job.run_all();
  EXPECT_THAT(job.another_master(),
              ElementsAre("adopt worker:0#1 launched on host1", "adopt worker:1#1 launched on host1"));
  EXPECT_EQ(job.state(), "running");
  EXPECT_THAT(job.exits("worker:0", 0), ElementsAre("release worker:0#1"));
  EXPECT_THAT(job.exits("worker:1", 0), ElementsAre("release worker:1#1", "finish succeeded 0"));
}

TEST(JobTakeover, what_was_not_placed_is_asked_for_with_a_new_attempt) {
  Script job(workers(2));
  job.begin();
  job.placed("worker:0");
  EXPECT_THAT(job.another_master(), ElementsAre("adopt worker:0#1 placed on host1", "ask worker:1#2"));
  EXPECT_THAT(job.placed("worker:1#1"), ElementsAre("release worker:1#1"));
  EXPECT_THAT(job.placed("worker:1"), ElementsAre("launch worker:0#1", "launch worker:1#2"));
}

TEST(JobTakeover, tasks_that_were_to_start_are_told_again) {
  Script job(workers(2));
  job.begin();
  job.placed("worker:0");
  job.placed("worker:1");
  job.started("worker:0");
  EXPECT_THAT(job.another_master(), ElementsAre("adopt worker:0#1 launched on host1",
                                                "adopt worker:1#1 launched on host1", "launch worker:1#1"));
}

TEST(JobTakeover, the_time_without_a_master_does_not_count_for_a_start) {
  Script job(workers(1));
  job.begin();
  job.placed("worker:0");
  job.another_master(10min);
  EXPECT_THAT(job.passes(1s), IsEmpty());
  job.started("worker:0");
  EXPECT_EQ(job.state(), "running");
}

TEST(JobTakeover, a_stop_goes_on_with_the_rest_of_its_grace) {
  Script job(workers(1));
  job.run_all();
  EXPECT_THAT(job.stop(30s), ElementsAre("stop worker:0#1 30 s"));
  EXPECT_THAT(job.another_master(25s), ElementsAre("adopt worker:0#1 launched on host1", "stop worker:0#1 5 s"));
  EXPECT_THAT(job.killed("worker:0", 15), ElementsAre("release worker:0#1", "finish stopped 130"));
}

TEST(JobTakeover, a_container_that_is_kept_for_the_next_attempt_is_kept) {
  auto plan = workers(2);
  plan.roles[0].retries = 1;
  Script job(plan);
  job.run_all();
  EXPECT_THAT(job.exits("worker:1", 3), IsEmpty());  // it backs off
  EXPECT_THAT(job.another_master(0s),
              ElementsAre("adopt worker:0#1 launched on host1", "adopt worker:1#1 over on host1"));
  EXPECT_THAT(job.waits_no_longer(), ElementsAre("ask worker:1#2 after #1"));
  EXPECT_THAT(job.another_master(), ElementsAre("adopt worker:0#1 launched on host1", "adopt worker:1#1 over on host1",
                                                "ask worker:1#3 after #1"));
}

TEST(JobTakeover, a_restart_of_all_tasks_goes_on) {
  Script job(gang(2));
  job.run_all();
  job.lost("worker:0", "its host is gone", Cause::host_lost);
  EXPECT_EQ(job.state(), "restarting");
  EXPECT_THAT(job.another_master(0s), ElementsAre("adopt worker:1#1 launched on host1", "stop worker:1#1 10 s"));
  EXPECT_THAT(job.killed("worker:1", 15), ElementsAre("ask worker:0#2 not on host1", "ask worker:1#2 after #1"));
}

TEST(JobTakeover, hosts_that_are_avoided_stay_so) {
  auto plan = workers(2);
  plan.roles[0].retries = 2;
  plan.blacklist.mode = Blacklist::Mode::strict;
  Script job(plan);
  job.run_all(Script::Hosts::many);
  job.exits("worker:1", 1);
  EXPECT_THAT(job.another_master(0s), ElementsAre("avoid host2", "adopt worker:0#1 launched on host1"));
}

TEST(JobTakeover, tasks_whose_scheduler_was_in_the_master_all_start_again) {
  auto plan = gang(2);
  plan.rendezvous_in_master = true;
  Script job(plan);
  job.run_all();
  EXPECT_THAT(job.another_master(),
              ElementsAre("adopt worker:0#1 launched on host1", "adopt worker:1#1 launched on host1",
                          "stop worker:0#1 10 s", "stop worker:1#1 10 s"));
  EXPECT_EQ(job.state(), "restarting");
}

TEST(JobTakeover, what_made_the_rendezvous_fail_can_be_reported_to_the_next_master) {
  auto plan = gang(2);
  plan.rendezvous_at = TaskId{"worker", 0};
  Script job(plan);
  job.run_all();
  job.happens(RendezvousFailed{job.attempt("worker:0"), "worker:1 does not come"});
  job.another_master(60s);
  EXPECT_THAT(job.passes(5s), IsEmpty());
  job.killed("worker:1", 9);
  EXPECT_EQ(job.state(), "restarting");
}

TEST(JobTakeover, a_third_master_goes_on_where_the_second_was_lost) {
  Script job(workers(2));
  job.begin();
  job.placed("worker:0");
  job.another_master();
  EXPECT_THAT(job.another_master(), ElementsAre("adopt worker:0#1 placed on host1", "ask worker:1#3"));
}

TEST(JobTakeover, an_end_that_was_decided_is_reached) {
  Script job(workers(2));
  job.run_all();
  job.exits("worker:0", 3);
  EXPECT_EQ(job.state(), "stopping");
  EXPECT_THAT(job.another_master(0s), ElementsAre("adopt worker:1#1 launched on host1", "stop worker:1#1 10 s"));
  EXPECT_THAT(job.killed("worker:1", 15), ElementsAre("release worker:1#1", "finish failed 3"));
}

// The end of a warning may not have reached any master.
TEST(JobTakeover, warnings_are_called_off_and_count_again_when_they_are_repeated) {
  Script job(workers(2));
  job.run_all();
  job.warned("worker:0");
  EXPECT_THAT(job.another_master(), Contains("call off worker:0#1"));
  EXPECT_THAT(job.warned("worker:0"), Contains(StartsWith("warn worker:0#1 of worker:0")));
}

TEST(JobDelay, time_in_which_nothing_was_done_counts_for_no_start) {
  Script job(workers(1));
  job.begin();
  job.placed("worker:0");
  job.now += 10min;
  EXPECT_THAT(job.happens(Delayed{}), IsEmpty());
  EXPECT_THAT(job.passes(1s), IsEmpty());
  EXPECT_EQ(job.state_of("worker:0"), "starting");
}

TEST(JobDelay, nor_for_the_confirmation_of_a_stop) {
  Script job(workers(1));
  job.run_all();
  EXPECT_THAT(job.stop(), ElementsAre("stop worker:0#1 10 s"));
  job.now += 10min;
  EXPECT_THAT(job.happens(Delayed{}), IsEmpty());
  EXPECT_THAT(job.passes(9s), IsEmpty());
  EXPECT_EQ(job.state_of("worker:0"), "stopping");
  EXPECT_THAT(job.passes(10min), Contains("release worker:0#1")) << "it does end";
}

TEST(JobStop, an_end_that_is_not_confirmed_holds_the_next_attempt_back) {
  Script job(gang(2));
  job.run_all();
  job.lost("worker:0", "its host is gone", Cause::host_lost);
  EXPECT_THAT(job.passes(25s), ElementsAre("release worker:1#1"));
  EXPECT_EQ(job.state(), "restarting");
  EXPECT_THAT(job.passes(10min), IsEmpty());
  EXPECT_THAT(job.lost("worker:1", "its container was released", Cause::stopped),
              ElementsAre("ask worker:0#2 not on host1", "ask worker:1#2"));
}

}  // namespace
}  // namespace ydl::job
