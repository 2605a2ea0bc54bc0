#include "client/yarn/masterless.hpp"

#include <gtest/gtest.h>

namespace ydl::client {
namespace {

using jobs::MasterTrace;
using yarn::AppState;

constexpr core::WallTime kNow{core::Millis(1'794'712'408'123)};

MasterlessFacts orphan() {
  return {.id = "train-03fa", .user = "ann", .master = MasterTrace::gone, .has_endpoint = true};
}

yarn::AppReport report(AppState state) {
  yarn::AppReport report;
  report.user = "ann";
  report.tags = {"ydl", "train-03fa"};
  report.state = state;
  return report;
}

TEST(Masterless, an_application_without_its_master_is_killed) {
  for (const auto state : {AppState::accepted, AppState::running})
    EXPECT_EQ(masterless_step(orphan(), "ann", report(state)), MasterlessStep::kill);
}

TEST(Masterless, an_application_that_is_over_is_recorded) {
  for (const auto state : {AppState::finished, AppState::failed, AppState::killed})
    EXPECT_EQ(masterless_step(orphan(), "ann", report(state)), MasterlessStep::note_end);
}

TEST(Masterless, a_job_whose_master_lives_or_may_live_is_left_alone) {
  auto job = orphan();
  for (const auto master : {MasterTrace::lives, MasterTrace::none}) {
    job.master = master;
    EXPECT_FALSE(may_be_masterless(job));
    EXPECT_EQ(masterless_step(job, "ann", report(AppState::running)), MasterlessStep::leave);
  }
  job.master = MasterTrace::elsewhere;
  EXPECT_EQ(masterless_step(job, "ann", report(AppState::running)), MasterlessStep::leave);
  EXPECT_EQ(masterless_step(job, "ann", report(AppState::failed)), MasterlessStep::note_end);
}

TEST(Masterless, a_master_in_a_container_is_the_cluster_s_matter) {
  auto job = orphan();
  job.kind = backend::MasterKind::managed;
  EXPECT_FALSE(may_be_masterless(job));
  EXPECT_EQ(masterless_step(job, "ann", report(AppState::running)), MasterlessStep::leave);
}

TEST(Masterless, a_master_that_ended_by_itself_leaves_nothing) {
  auto job = orphan();
  job.recorded = core::JobState::succeeded;
  EXPECT_TRUE(may_be_masterless(job)) << "it was killed before it told the ResourceManager";
  EXPECT_EQ(masterless_step(job, "ann", report(AppState::running)), MasterlessStep::kill);
  job.has_endpoint = false;
  EXPECT_FALSE(may_be_masterless(job));
  EXPECT_EQ(masterless_step(job, "ann", report(AppState::running)), MasterlessStep::leave);
}

TEST(Masterless, nothing_of_others_is_killed) {
  EXPECT_EQ(masterless_step(orphan(), "bob", report(AppState::running)), MasterlessStep::leave);
  auto of_bob = report(AppState::running);
  of_bob.user = "bob";
  EXPECT_EQ(masterless_step(orphan(), "ann", of_bob), MasterlessStep::leave);
  EXPECT_EQ(masterless_step(orphan(), "bob", of_bob), MasterlessStep::leave);
  auto of_another_job = report(AppState::running);
  of_another_job.tags = {"ydl", "train-03fb"};
  EXPECT_EQ(masterless_step(orphan(), "ann", of_another_job), MasterlessStep::leave);
}

TEST(Masterless, its_job_has_failed_and_the_reason_names_master_and_application) {
  jobs::StateFile before;
  before.state = core::JobState::running;
  before.tasks = 2;
  backend::YarnJob job;
  job.application = "application_1_0001";
  const auto killed = masterless_end(before, job, std::nullopt, kNow);
  EXPECT_EQ(killed.state, core::JobState::failed);
  EXPECT_EQ(killed.exit_code, 1);
  EXPECT_EQ(killed.tasks, 2);
  EXPECT_EQ(killed.finished, kNow);
  EXPECT_EQ(
      killed.reason,
      "its master, which ran on the client's host, ended before the job did; its application application_1_0001 was "
      "killed");
  auto expired = report(AppState::failed);
  expired.diagnostics = "the master has not been heard of";
  expired.finished = kNow - core::Seconds(9);
  const auto noted = masterless_end(before, job, expired, kNow);
  EXPECT_EQ(noted.state, core::JobState::failed);
  EXPECT_EQ(noted.finished, expired.finished);
  EXPECT_EQ(
      noted.reason,
      "its master, which ran on the client's host, ended before the job did; application_1_0001 has ended: the master "
      "has not been heard of");
}

TEST(Masterless, a_job_that_told_the_resource_manager_its_success_has_succeeded) {
  auto success = report(AppState::finished);
  success.final_status = yarn::FinalStatus::succeeded;
  const auto end = masterless_end({}, {}, success, kNow);
  EXPECT_EQ(end.state, core::JobState::succeeded);
  EXPECT_EQ(end.exit_code, 0);
}

}  // namespace
}  // namespace ydl::client
