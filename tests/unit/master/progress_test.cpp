#include "master/progress.hpp"

#include <gtest/gtest.h>

namespace ydl::master {
namespace {

constexpr core::RoleKind kDecider = core::RoleKind::decider;
constexpr core::RoleKind kService = core::RoleKind::service;

job::TaskSnapshot task(const std::string& role, int index, job::TaskState state, int attempt = 1) {
  job::TaskSnapshot snapshot;
  snapshot.id = {role, index};
  snapshot.attempt = attempt;
  snapshot.state = state;
  return snapshot;
}

job::Snapshot of_tasks(std::vector<job::TaskSnapshot> tasks) {
  job::Snapshot snapshot;
  snapshot.tasks = std::move(tasks);
  return snapshot;
}

protocol::TaskOutput reported(const std::string& role, int index, double progress, int attempt = 1) {
  return {{{role, index}, attempt}, "", progress, ""};
}

TEST(JobProgress, is_the_mean_of_the_deciding_tasks) {
  const job::Plan plan{.roles = {{.name = "worker", .count = 2, .kind = kDecider}, {.name = "ps", .kind = kService}}};
  const auto snapshot = of_tasks({task("worker", 0, job::TaskState::running),
                                  task("worker", 1, job::TaskState::running), task("ps", 0, job::TaskState::running)});
  const TaskOutputs outputs{{{"worker", 0}, reported("worker", 0, 0.5)}, {{"ps", 0}, reported("ps", 0, 1)}};
  EXPECT_DOUBLE_EQ(job_progress(plan, snapshot, outputs), 0.25);
}

TEST(JobProgress, a_task_that_succeeded_is_done_whatever_it_reported) {
  const job::Plan plan{.roles = {{.name = "worker", .count = 4, .kind = kDecider}}};
  const auto snapshot =
      of_tasks({task("worker", 0, job::TaskState::succeeded), task("worker", 1, job::TaskState::running),
                task("worker", 2, job::TaskState::waiting), task("worker", 3, job::TaskState::waiting)});
  EXPECT_DOUBLE_EQ(job_progress(plan, snapshot, {}), 0.25);
}

TEST(JobProgress, what_an_earlier_attempt_reported_does_not_count) {
  const job::Plan plan{.roles = {{.name = "worker", .count = 1, .kind = kDecider}}};
  const auto snapshot = of_tasks({task("worker", 0, job::TaskState::running, 2)});
  EXPECT_DOUBLE_EQ(job_progress(plan, snapshot, {{{"worker", 0}, reported("worker", 0, 0.9, 1)}}), 0);
  EXPECT_DOUBLE_EQ(job_progress(plan, snapshot, {{{"worker", 0}, reported("worker", 0, 0.1, 2)}}), 0.1);
}

TEST(JobProgress, stays_between_0_and_1) {
  const job::Plan plan{.roles = {{.name = "worker", .count = 1, .kind = kDecider}}};
  const auto snapshot = of_tasks({task("worker", 0, job::TaskState::running)});
  EXPECT_DOUBLE_EQ(job_progress(plan, snapshot, {{{"worker", 0}, reported("worker", 0, 7)}}), 1);
  EXPECT_DOUBLE_EQ(job_progress(plan, snapshot, {{{"worker", 0}, reported("worker", 0, -1)}}), 0);
  EXPECT_DOUBLE_EQ(job_progress({}, {}, {}), 0);
}

core::Instant at(long seconds) {
  return core::Instant(core::Seconds(1000 + seconds));
}

// A task that needs `seconds_each` for each percent and has done `percent`.
TaskMeter meter(const std::string& role, int index, int percent, long seconds_each) {
  TaskMeter meter;
  for (int i = 0; i <= percent; ++i) meter.note(reported(role, index, i / 100.0), at((i - percent) * seconds_each));
  return meter;
}

TEST(JobEstimate, is_that_of_the_deciding_task_that_has_most_to_do) {
  const job::Plan plan{.roles = {{.name = "worker", .count = 3, .kind = kDecider}, {.name = "ps", .kind = kService}}};
  const TaskOutputs outputs{{{"worker", 0}, reported("worker", 0, 0.5)},
                            {{"worker", 1}, reported("worker", 1, 0.4)},
                            {{"ps", 0}, reported("ps", 0, 0.1)}};
  const TaskMeters meters{{{"worker", 0}, meter("worker", 0, 50, 1)},
                          {{"worker", 1}, meter("worker", 1, 40, 2)},
                          {{"ps", 0}, meter("ps", 0, 10, 1)}};
  auto snapshot = of_tasks({task("worker", 0, job::TaskState::running), task("worker", 1, job::TaskState::running),
                            task("worker", 2, job::TaskState::running), task("ps", 0, job::TaskState::running)});
  auto estimate = estimate_job(plan, snapshot, outputs, meters, at(0));
  EXPECT_EQ(estimate.progress, 0.4) << "worker:2 reports none, and ps:0 does not decide";
  EXPECT_EQ(estimate.left, core::Seconds(120));

  snapshot.tasks[1].state = job::TaskState::succeeded;
  estimate = estimate_job(plan, snapshot, outputs, meters, at(0));
  EXPECT_EQ(estimate.progress, 0.5) << "what has ended does not count";
  EXPECT_EQ(estimate.left, core::Seconds(50));

  snapshot.tasks[2].state = job::TaskState::waiting;
  estimate = estimate_job(plan, snapshot, outputs, meters, at(0));
  EXPECT_EQ(estimate.progress, 0.5);
  EXPECT_FALSE(estimate.left) << "a task has still to start";
}

TEST(JobEstimate, of_a_job_without_progress_is_nothing) {
  const job::Plan plan{.roles = {{.name = "worker", .count = 1, .kind = kDecider}}};
  const auto snapshot = of_tasks({task("worker", 0, job::TaskState::running, 2)});
  const auto estimate = estimate_job(plan, snapshot, {{{"worker", 0}, reported("worker", 0, 0.9, 1)}}, {}, at(0));
  EXPECT_FALSE(estimate.progress) << "that is of an earlier attempt";
  EXPECT_FALSE(estimate.left);
}

}  // namespace
}  // namespace ydl::master
