#include "master/continued.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::master {
namespace {

using ::testing::ElementsAre;

JobPlan plan_of(std::vector<job::RolePlan> roles) {
  JobPlan plan;
  plan.job.roles = std::move(roles);
  return plan;
}

const core::TaskId kZero{"worker", 0};
const core::TaskId kOne{"worker", 1};

TEST(Continued, a_task_continues_from_its_own_then_from_what_the_first_deciding_task_wrote) {
  const auto plan = plan_of({{.name = "ps", .kind = core::RoleKind::service}, {.name = "worker", .count = 2}});
  EXPECT_THAT(tasks_to_continue(plan, kOne), ElementsAre(kOne, kZero));
  EXPECT_THAT(tasks_to_continue(plan, kZero), ElementsAre(kZero));
}

TEST(Continued, a_chief_writes_for_all_wherever_it_stands) {
  const auto plan = plan_of({{.name = "worker", .count = 2}, {.name = "chief", .count = 1}});
  EXPECT_THAT(tasks_to_continue(plan, kOne), ElementsAre(kOne, core::TaskId{"chief", 0}));
}

TEST(Continued, tasks_that_are_numbered_anew_continue_from_what_the_first_of_them_saved_last) {
  const auto plan = plan_of({{.name = "worker", .count = 3}});
  job::Snapshot snapshot;
  for (int i = 0; i < 3; ++i) snapshot.tasks.emplace_back().id = {"worker", i};
  EXPECT_THAT(tasks_to_continue(plan, kOne, snapshot), ElementsAre(kOne, kZero)) << "nothing is saved";
  snapshot.tasks[0].saved_as_first = core::Instant(core::Seconds(5));
  snapshot.tasks[2].saved_as_first = core::Instant(core::Seconds(9));
  const core::TaskId two{"worker", 2};
  EXPECT_THAT(tasks_to_continue(plan, kZero, snapshot), ElementsAre(two, kZero));
  EXPECT_THAT(tasks_to_continue(plan, kOne, snapshot), ElementsAre(two, kOne, kZero));
  EXPECT_THAT(tasks_to_continue(plan, two, snapshot), ElementsAre(two, kZero));
}

TEST(Continued, of_another_job_the_same_tasks_count) {
  const auto folders = folders_of({"/old/saves", "/old/results"}, {kOne, kZero});
  ASSERT_EQ(folders.size(), 2U);
  EXPECT_EQ(folders[0].saves, "/old/saves/worker-1");
  EXPECT_EQ(folders[1].results, "/old/results/worker-0");
  EXPECT_EQ(folders_of({"", "/out"}, {kOne})[0].saves, "") << "on one machine nothing is saved while it runs";
}

}  // namespace
}  // namespace ydl::master
