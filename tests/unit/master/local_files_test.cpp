#include "master/local_files.hpp"

#include <gtest/gtest.h>

namespace ydl::master {
namespace {

TEST(LocalFiles, a_task_has_its_folders_in_the_jobs_folder_and_its_results_where_the_job_says) {
  const jobs::JobFolder folder("/jobs/x-0001");
  jobs::JobFile job;
  job.results = "/data/out";
  backend::TaskRequest request;
  request.attempt = {{"worker", 1}, 2};
  request.memory = 4096;
  const auto prepare = backend::prepare_here(request, local_files(folder, job));
  EXPECT_EQ(prepare.working_directory, folder.working_directory({"worker", 1}).string());
  EXPECT_EQ(prepare.log_directory, folder.task_logs({{"worker", 1}, 2}).string());
  EXPECT_EQ(prepare.results_directory, "/data/out/worker-1");
  EXPECT_EQ(prepare.memory_limit, 4096U);
  EXPECT_EQ(prepare.remote_logs, "") << "nothing leaves this machine";
}

TEST(LocalFiles, a_task_continues_from_folders_of_results) {
  jobs::JobFile job;
  job.results = "/data/out";
  backend::TaskRequest request;
  request.attempt = {{"worker", 1}, 2};
  request.continues_tasks = {{"worker", 1}, {"worker", 0}};
  request.continues_folders = {{"", "/old/worker-1"}};
  const auto prepare = backend::prepare_here(request, local_files(jobs::JobFolder("/jobs/x-0001"), job));
  ASSERT_EQ(prepare.restore.size(), 3U);
  EXPECT_EQ(prepare.restore[0].results, "/data/out/worker-1");
  EXPECT_EQ(prepare.restore[1].results, "/data/out/worker-0");
  EXPECT_EQ(prepare.restore[2].results, "/old/worker-1");
  EXPECT_EQ(prepare.remote_saves, "") << "nothing is copied on one machine";
}

TEST(LocalFiles, what_lies_in_the_jobs_directory_and_what_was_named_is_linked) {
  const jobs::JobFolder folder("/jobs/x-0001");
  jobs::JobFile job;
  job.spec.directory = "/home/ann";
  job.spec.files = {{"data/train", ""}, {"/abs/x", "y"}};
  job.spec.archives = {{"big.tar.gz", "big"}};
  const auto files = local_files(folder, job);
  EXPECT_EQ(files.linked_directory, "/home/ann");
  ASSERT_EQ(files.links.size(), 3U);
  EXPECT_EQ(files.links[0].target, "/home/ann/data/train");
  EXPECT_EQ(files.links[0].name, "train");
  EXPECT_EQ(files.links[1].target, "/abs/x");
  EXPECT_EQ(files.links[1].name, "y");
  EXPECT_EQ(files.links[2].target, (folder.archives() / "big").string());
  job.spec.auto_files = false;
  EXPECT_EQ(local_files(folder, job).linked_directory, "");
}

}  // namespace
}  // namespace ydl::master
