#include "jobs/folder_deletion.hpp"

#include "core/files.hpp"
#include "support/temp_dir.hpp"

#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ydl::jobs {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class FolderDeletion : public testing::Test {
 protected:
  [[nodiscard]] fs::path path(const std::string& name) const { return dir_.path() / name; }
  void file(const std::string& name, std::size_t bytes = 1) const {
    fs::create_directories(path(name).parent_path());
    std::ofstream(path(name)) << std::string(bytes, 'x');
  }
  test::TempDir dir_;
};

TEST_F(FolderDeletion, a_folder_is_measured_without_following_links) {
  file("outside/large", 1000);
  file("job-03fa/results/worker-0/model", 10);
  file("job-03fa/job.json", 5);
  fs::create_directory_symlink(path("outside"), path("job-03fa/results/data"));
  const auto content = measure_folder(path("job-03fa"));
  EXPECT_EQ(content.files, 3) << "the link is one of them";
  EXPECT_EQ(content.bytes, 15U);
  EXPECT_TRUE(content.changed);
}

TEST_F(FolderDeletion, what_links_point_to_is_not_deleted) {
  file("outside/precious");
  file("job/results/model");
  fs::create_directory_symlink(path("outside"), path("job/results/data"));
  fs::create_symlink(path("outside/precious"), path("job/results/file"));
  fs::create_symlink("nowhere", path("job/results/broken"));
  const auto deleted = delete_tree(path("job"));
  ASSERT_TRUE(deleted) << deleted.error().message;
  EXPECT_TRUE(*deleted);
  EXPECT_FALSE(fs::exists(path("job")));
  EXPECT_TRUE(fs::exists(path("outside/precious")));
}

TEST_F(FolderDeletion, of_a_link_instead_of_a_folder_only_the_link_is_deleted) {
  file("outside/precious");
  fs::create_directory_symlink(path("outside"), path("job"));
  EXPECT_EQ(measure_folder(path("job")).files, 1);
  ASSERT_TRUE(delete_tree(path("job")));
  EXPECT_FALSE(fs::is_symlink(path("job")));
  EXPECT_TRUE(fs::exists(path("outside/precious")));
}

TEST_F(FolderDeletion, folders_without_permissions_are_deleted_too) {
  file("job/results/a/model");
  file("job/results/b/model");
  ::chmod(path("job/results/a").c_str(), 0555);
  ::chmod(path("job/results/b").c_str(), 0);
  const auto deleted = delete_tree(path("job"));
  ASSERT_TRUE(deleted) << deleted.error().message;
  EXPECT_FALSE(fs::exists(path("job")));
}

TEST_F(FolderDeletion, a_tree_deeper_than_there_are_descriptors_is_measured_and_deleted) {
  constexpr int kDepth = 1'000;  // a path of 5,000 bytes
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 64;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  fs::create_directory(path("job"));
  core::UniqueFd folder(::open(path("job").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < kDepth; ++i) {
    ASSERT_EQ(::mkdirat(folder.get(), "down", 0700), 0) << i;
    folder = core::UniqueFd(::openat(folder.get(), "down", O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  const core::UniqueFd file(::openat(folder.get(), "model", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  ASSERT_EQ(::write(file.get(), "12345", 5), 5);
  EXPECT_EQ(measure_folder(path("job")).bytes, 5U);
  const auto deleted = delete_tree(path("job"));
  EXPECT_TRUE(deleted) << deleted.error().message;
  EXPECT_FALSE(fs::exists(path("job")));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(FolderDeletion, many_folders_beside_each_other_are_deleted) {
  for (int i = 0; i < 5'000; ++i) fs::create_directories(path("job/" + std::to_string(i)));
  ASSERT_TRUE(delete_tree(path("job")));
  EXPECT_FALSE(fs::exists(path("job")));
}

TEST_F(FolderDeletion, without_more_time_the_rest_is_left_for_the_next_call) {
  for (int i = 0; i < 10; ++i) file("job/" + std::to_string(i));
  int asked = 0;
  const auto deleted = delete_tree(path("job"), [&] { return ++asked <= 5; });
  ASSERT_TRUE(deleted);
  EXPECT_FALSE(*deleted);
  EXPECT_EQ(measure_folder(path("job")).files, 6) << "one question is about the folder itself";
  EXPECT_EQ(delete_tree(path("job")), true);
  EXPECT_FALSE(fs::exists(path("job")));
}

TEST_F(FolderDeletion, what_is_not_there_is_deleted) {
  EXPECT_EQ(delete_tree(path("nothing")), true);
}

TEST_F(FolderDeletion, a_hidden_folder_is_not_a_job) {
  file("jobs/train-03fa/job.json");
  const auto hidden = hide_job_folder(JobFolder(path("jobs/train-03fa")));
  ASSERT_TRUE(hidden) << hidden.error().message;
  EXPECT_THAT(list_job_folders(path("jobs")), IsEmpty());
  EXPECT_THAT(list_hidden_folders(path("jobs")), ElementsAre(*hidden));
  EXPECT_THAT(hidden->filename().string(), StartsWith(".deleted-train-03fa-"));
  EXPECT_FALSE(fs::exists(path("jobs/train-03fa")));
  const auto again = hide_job_folder(JobFolder(path("jobs/train-03fa")));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, core::Errc::not_found);
}

TEST_F(FolderDeletion, a_new_job_does_not_wait_for_hidden_folders) {
  file("jobs/.deleted-train-03fa-00000000/file");
  fs::last_write_time(path("jobs/.deleted-train-03fa-00000000"),
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  ASSERT_TRUE(create_job_folder(path("jobs"), "train"));
  EXPECT_TRUE(fs::exists(path("jobs/.deleted-train-03fa-00000000/file")));
}

}  // namespace
}  // namespace ydl::jobs
