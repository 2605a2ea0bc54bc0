#include "agent/files/gang_file.hpp"

#include "core/files.hpp"
#include "support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(GangFile, a_start_of_the_gang_has_one_file_however_many_tasks_ask_for_it) {
  const test::TempDir dir;
  GangFile file;
  const protocol::GangFacts gang{1, R"({"worker":[]})", {}};
  const auto first = file.write(dir.path(), gang);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(core::read_file(*first).value(), "{\"worker\":[]}\n");
  std::filesystem::remove(*first);
  EXPECT_EQ(file.write(dir.path(), gang).value(), *first);
  EXPECT_FALSE(std::filesystem::exists(*first)) << "it is written again for each task";
}

TEST(GangFile, the_next_start_has_another_file) {
  const test::TempDir dir;
  GangFile file;
  const auto first = file.write(dir.path(), {1, "{}", {}}).value();
  const auto second = file.write(dir.path(), {2, R"({"worker":[]})", {}}).value();
  EXPECT_NE(first, second);
  EXPECT_EQ(core::read_file(first).value(), "{}\n") << "a task of the first start may still read it";
}

TEST(GangFile, a_folder_that_is_not_there_is_an_error) {
  const test::TempDir dir;
  EXPECT_FALSE(GangFile().write(dir.path() / "missing", {1, "{}", {}}));
}

TEST(GangFile, the_variable_is_set_where_it_is_short_enough) {
  std::map<std::string, std::string> environment;
  add_gang(environment, {1, "{}", {}}, "/w/.tasks-1.json");
  EXPECT_THAT(environment, ElementsAre(Pair("YDL_TASKS_FILE", "/w/.tasks-1.json"), Pair("YDL_TASKS_JSON", "{}")));
  environment.clear();
  add_gang(environment, {1, std::string(kMostTasksJson + 1, 'x'), {}}, "/w/.tasks-1.json");
  EXPECT_THAT(environment, ElementsAre(Pair("YDL_TASKS_FILE", "/w/.tasks-1.json")));
}

TEST(GangFile, what_the_user_sets_stays) {
  std::map<std::string, std::string> environment{{"YDL_TASKS_JSON", "mine"}};
  add_gang(environment, {1, "{}", {}}, "/w/.tasks-1.json");
  EXPECT_EQ(environment.at("YDL_TASKS_JSON"), "mine");
}

}  // namespace
}  // namespace ydl::agent
