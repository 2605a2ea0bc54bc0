#include "client/local_retention.hpp"

#include "jobs/job_folder.hpp"
#include "support/temp_dir.hpp"

#include <array>
#include <fcntl.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace ydl::client {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr core::Millis kDay = std::chrono::hours(24);
constexpr TidyLimits kPatient{.time = std::chrono::hours(1), .jobs = 1000};

class LocalRetention : public testing::Test {
 protected:
  // A job that ended some days ago, by its records and by the times of its files.
  jobs::JobFolder job(const std::string& name, int days, core::JobState state = core::JobState::succeeded) const {
    auto folder = *jobs::create_job_folder(root(), name);
    const auto ended = core::wall_now() - days * kDay;
    jobs::StateFile record;
    record.state = state;
    if (is_final(state)) record.finished = ended;
    EXPECT_TRUE(jobs::write_state_file(folder, record));
    const timespec then{std::chrono::floor<core::Seconds>(ended).time_since_epoch().count(), 0};
    const std::array times{then, then};
    EXPECT_EQ(::utimensat(AT_FDCWD, folder.state_file().c_str(), times.data(), 0), 0);
    return folder;
  }
  [[nodiscard]] fs::path root() const { return dir_.path() / "jobs"; }
  [[nodiscard]] std::vector<std::string> left() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(root())) names.push_back(entry.path().filename().string());
    return names;
  }

  test::TempDir dir_;
};

TEST_F(LocalRetention, jobs_that_ended_long_enough_ago_are_deleted) {
  const auto old = job("old", 8);
  const auto recent = job("recent", 6);
  EXPECT_EQ(remove_old_jobs_here(root(), 7 * kDay, kPatient), 1);
  EXPECT_THAT(left(), testing::ElementsAre(recent.id().str()));
}

TEST_F(LocalRetention, without_a_setting_no_job_is_deleted) {
  (void)job("old", 800);
  EXPECT_EQ(remove_old_jobs_here(root(), std::nullopt, kPatient), 0);
  EXPECT_THAT(left(), SizeIs(1));
}

TEST_F(LocalRetention, a_job_that_may_run_stays) {
  (void)job("starting", 8, core::JobState::placing);  // its master has not taken the lock yet
  const auto running = job("running", 8);
  const auto lock = jobs::lock_job(running);
  ASSERT_TRUE(lock);
  EXPECT_EQ(remove_old_jobs_here(root(), 7 * kDay, kPatient), 0);
}

TEST_F(LocalRetention, a_lost_job_is_deleted) {
  const auto lost = job("lost", 8, core::JobState::running);
  {
    const auto lock = jobs::lock_job(lost);
  }
  EXPECT_EQ(remove_old_jobs_here(root(), 7 * kDay, kPatient), 1);
}

TEST_F(LocalRetention, limits_hold_for_one_call) {
  for (int i = 0; i < 5; ++i) (void)job("old", 8);
  EXPECT_EQ(remove_old_jobs_here(root(), 7 * kDay, {.time = kPatient.time, .jobs = 2}), 2);
  EXPECT_EQ(remove_old_jobs_here(root(), 7 * kDay, {.time = core::Millis(0)}), 0) << "no time at all";
  EXPECT_THAT(left(), SizeIs(3));
  EXPECT_EQ(remove_old_jobs_here(root(), 7 * kDay, kPatient), 3);
}

TEST_F(LocalRetention, what_an_interrupted_deletion_left_is_deleted_without_a_setting) {
  const auto half = job("half", 1);
  fs::rename(half.root(), root() / ".deleted-half-0000-00000000");
  EXPECT_EQ(remove_old_jobs_here(root(), std::nullopt, kPatient), 0);
  EXPECT_THAT(left(), IsEmpty());
}

}  // namespace
}  // namespace ydl::client
