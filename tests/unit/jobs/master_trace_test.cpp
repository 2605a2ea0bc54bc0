#include "jobs/master_trace.hpp"

#include "jobs/job_summary.hpp"
#include "support/temp_dir.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace ydl::jobs {
namespace {

namespace fs = std::filesystem;

class MasterTraceTest : public testing::Test {
 protected:
  MasterTraceTest() : folder_(*create_job_folder(dir_.path() / "jobs", "mnist")) {}

  void write(const std::string& name) const {
    ASSERT_TRUE(core::write_file_atomically(folder_.root() / name, "content"));
  }
  [[nodiscard]] bool has(const std::string& name) const { return fs::exists(folder_.root() / name); }
  // A master has been here, and has ended.
  void run_master() const { ASSERT_TRUE(lock_job(folder_)); }

  test::TempDir dir_;
  JobFolder folder_;
};

TEST_F(MasterTraceTest, the_lock_tells_whether_the_master_lives) {
  EXPECT_EQ(trace_of_master(folder_), MasterTrace::none);
  {
    const auto lock = lock_job(folder_);
    ASSERT_TRUE(lock);
    EXPECT_EQ(trace_of_master(folder_), MasterTrace::lives);
  }
  EXPECT_EQ(trace_of_master(folder_), MasterTrace::gone);
}

TEST_F(MasterTraceTest, a_free_lock_of_another_or_an_unknown_machine_is_not_evidence) {
  for (const auto* owner : {"e1b0a2f0-0000-4000-8000-000000000000", ""}) {
    ASSERT_TRUE(core::write_file_atomically(folder_.lock_file(), owner));
    EXPECT_EQ(trace_of_master(folder_), MasterTrace::elsewhere) << owner;
  }
}

TEST_F(MasterTraceTest, a_lock_is_known_by_the_descriptor_that_holds_it) {
  EXPECT_FALSE(handed_lock(folder_, 1000)) << "not open";
  auto lock = lock_job(folder_);
  ASSERT_TRUE(lock);
  const core::UniqueFd other(::open(folder_.lock_file().c_str(), O_RDWR | O_CLOEXEC));
  EXPECT_FALSE(handed_lock(folder_, other.get())) << "another descriptor holds the lock";
  const core::UniqueFd stranger(::open("/dev/null", O_RDWR | O_CLOEXEC));
  EXPECT_FALSE(handed_lock(folder_, stranger.get())) << "another file";
  const auto taken = handed_lock(folder_, lock->release());
  EXPECT_TRUE(taken);
  EXPECT_EQ(trace_of_master(folder_), MasterTrace::lives);
}

TEST_F(MasterTraceTest, an_unmanaged_job_on_yarn_whose_master_is_gone_is_listed_as_lost) {
  JobFile job;
  job.cluster = core::ClusterKind::yarn;
  job.spec.name = "mnist";
  job.spec.command = {"true"};
  job.spec.roles.resize(1);
  job.spec.roles[0].name = "worker";
  ASSERT_TRUE(write_job_file(folder_, job));
  ASSERT_TRUE(write_state_file(folder_, {.state = core::JobState::running, .reason = {}, .cause = {}, .finished = {}}));
  EXPECT_EQ(summarise_jobs(dir_.path() / "jobs").at(0).state, core::JobState::running) << "in a container";
  run_master();
  EXPECT_EQ(summarise_jobs(dir_.path() / "jobs").at(0).state, core::JobState::lost);
}

TEST_F(MasterTraceTest, what_a_killed_master_was_writing_is_removed) {
  run_master();
  for (const auto* name :
       {"view.json.03fa91c2.tmp", "state.json.00000000.tmp", "mine.tmp", "view.json", "logs/a.03fa91c2.tmp"})
    write(name);
  remove_unfinished_files(folder_);
  EXPECT_FALSE(has("view.json.03fa91c2.tmp"));
  EXPECT_FALSE(has("state.json.00000000.tmp"));
  for (const auto* name : {"mine.tmp", "view.json", "logs/a.03fa91c2.tmp", "master.lock"})
    EXPECT_TRUE(has(name)) << name;
}

TEST_F(MasterTraceTest, what_a_living_master_writes_stays) {
  const auto lock = lock_job(folder_);
  write("view.json.03fa91c2.tmp");
  remove_unfinished_files(folder_);
  EXPECT_TRUE(has("view.json.03fa91c2.tmp"));
}

TEST_F(MasterTraceTest, without_a_lock_of_this_machine_files_stay) {
  write("view.json.03fa91c2.tmp");
  remove_unfinished_files(folder_);
  EXPECT_TRUE(has("view.json.03fa91c2.tmp"));
  ASSERT_TRUE(core::write_file_atomically(folder_.lock_file(), "another machine"));
  remove_unfinished_files(folder_);
  EXPECT_TRUE(has("view.json.03fa91c2.tmp"));
}

TEST_F(MasterTraceTest, the_list_of_jobs_removes_what_a_lost_job_left) {
  JobFile job;
  job.spec.name = "mnist";
  job.spec.command = {"true"};
  job.spec.roles.resize(1);
  job.spec.roles[0].name = "worker";
  ASSERT_TRUE(write_job_file(folder_, job));
  ASSERT_TRUE(write_state_file(folder_, {.state = core::JobState::running, .reason = {}, .cause = {}, .finished = {}}));
  run_master();
  write("view.json.03fa91c2.tmp");
  ASSERT_EQ(summarise_jobs(dir_.path() / "jobs").at(0).state, core::JobState::lost);
  EXPECT_FALSE(has("view.json.03fa91c2.tmp"));
}

}  // namespace
}  // namespace ydl::jobs
