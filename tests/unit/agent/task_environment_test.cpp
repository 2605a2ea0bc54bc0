#include "agent/task_environment.hpp"

#include "support/temp_dir.hpp"

#include <filesystem>
#include <gtest/gtest.h>

namespace ydl::agent {
namespace {

const TaskPlace kPlace{.working_directory = "/c/task",
                       .results_directory = "/c/results",
                       .visible_gpus = "",
                       .path_first = {".env/bin"},
                       .home = "/c"};
const Environment kOwn{{"PATH", "/usr/bin:/bin"}, {"HOME", "/home/"}, {"LANG", "C"}};

TEST(TaskEnvironment, uploaded_programs_come_first_on_the_path_of_the_host) {
  const auto found = task_environment({}, kPlace, kOwn);
  EXPECT_EQ(found.at("PATH"), "/c/task/.env/bin:/usr/bin:/bin");
  EXPECT_EQ(found.at("LANG"), "C");
}

TEST(TaskEnvironment, they_come_before_the_usual_path_where_the_host_has_none) {
  EXPECT_EQ(task_environment({}, kPlace, {}).at("PATH"), "/c/task/.env/bin:/bin:/usr/bin");
}

TEST(TaskEnvironment, a_home_that_is_not_usable_is_replaced) {
  EXPECT_EQ(task_environment({}, kPlace, kOwn).at("HOME"), "/c");
}

TEST(TaskEnvironment, a_home_that_is_one_stays) {
  auto place = kPlace;
  place.home.clear();
  EXPECT_EQ(task_environment({}, place, kOwn).at("HOME"), "/home/");
}

TEST(TaskEnvironment, what_the_job_says_goes_over_everything_but_the_folder_of_results) {
  const auto found = task_environment({{"PATH", "/mine"}, {"HOME", "/me"}, {"YDL_RESULTS_DIR", "/x"}}, kPlace, kOwn);
  EXPECT_EQ(found.at("PATH"), "/mine");
  EXPECT_EQ(found.at("HOME"), "/me");
  EXPECT_EQ(found.at("YDL_RESULTS_DIR"), "/c/results");
}

TEST(TaskEnvironment, gpus_are_those_it_was_given_or_those_of_the_agent) {
  const Environment own{{"CUDA_VISIBLE_DEVICES", "3"}};
  auto place = kPlace;
  place.visible_gpus = "GPU-1";
  EXPECT_EQ(task_environment({}, place, own).at("CUDA_VISIBLE_DEVICES"), "GPU-1");
  EXPECT_EQ(task_environment({{"CUDA_VISIBLE_DEVICES", "0"}}, place, own).at("CUDA_VISIBLE_DEVICES"), "0");
  place.visible_gpus.reset();
  EXPECT_EQ(task_environment({}, place, own).at("CUDA_VISIBLE_DEVICES"), "3");
  EXPECT_FALSE(task_environment({}, place, {}).contains("CUDA_VISIBLE_DEVICES"));
}

TEST(TaskEnvironment, without_uploaded_programs_the_path_is_the_hosts) {
  auto place = kPlace;
  place.path_first.clear();
  EXPECT_EQ(task_environment({}, place, kOwn).at("PATH"), "/usr/bin:/bin");
}

TEST(TaskEnvironment, hadoops_clients_act_as_the_jobs_user_unless_the_job_names_another) {
  auto place = kPlace;
  place.hadoop_user = "alice";
  const Environment own{{"HADOOP_USER_NAME", "yarn"}};
  EXPECT_EQ(task_environment({}, place, own).at("HADOOP_USER_NAME"), "alice");
  EXPECT_EQ(task_environment({{"HADOOP_USER_NAME", "etl"}}, place, own).at("HADOOP_USER_NAME"), "etl");
  EXPECT_FALSE(task_environment({}, kPlace, {}).contains("HADOOP_USER_NAME"));
}

TEST(TaskEnvironment, a_home_is_a_folder_that_can_be_written_to) {
  const test::TempDir folder;
  EXPECT_TRUE(is_home(folder.path().string()));
  EXPECT_FALSE(is_home((folder.path() / "missing").string()));
  EXPECT_FALSE(is_home("/dev/null"));
  for (const auto* none : {"", "/", "/home", "/home/"}) EXPECT_FALSE(is_home(none)) << none;
}

TEST(TaskEnvironment, names_what_a_task_continues_from_only_where_there_is_something) {
  TaskPlace place{
      .working_directory = "/w", .results_directory = "/r", .visible_gpus = {}, .path_first = {}, .home = {}};
  const Environment of_another_job{{"YDL_RESTORE_DIR", "/elsewhere"}};
  EXPECT_FALSE(task_environment({}, place, of_another_job).contains("YDL_RESTORE_DIR"));
  place.restore_directory = "/w.restore";
  EXPECT_EQ(task_environment({}, place, of_another_job).at("YDL_RESTORE_DIR"), "/w.restore");
}

}  // namespace
}  // namespace ydl::agent
