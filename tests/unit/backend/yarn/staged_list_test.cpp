#include "backend/yarn/staged_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::backend {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kOne(64, '1');
const std::string kTwo(64, '2');

core::WallTime day(int number) {
  return core::WallTime(std::chrono::days(number));
}

class Disposal : public testing::Test {
 protected:
  std::vector<std::string> gone_after(int days) {
    std::vector<std::string> names;
    for (const auto& file : disposable(files, uses, running, {day(100), std::chrono::days(days)}))
      names.push_back(file.name);
    return names;
  }

  std::vector<CachedFile> files{{kOne, "env.tar", 1, day(10)}, {kTwo, "code.tar", 1, day(20)}};
  std::vector<CacheUse> uses;
  std::set<std::string> running;
};

TEST(StagedList, what_is_written_is_read_back) {
  const StagedList list{"application_1_0001", {kOne, kTwo}};
  EXPECT_EQ(staged_list_from_json(to_json(list)), list);
  const StagedList unknown{"", {kOne}};
  EXPECT_EQ(staged_list_from_json(to_json(unknown)), unknown);
}

TEST(StagedList, what_protects_something_unknown_is_an_error) {
  EXPECT_FALSE(staged_list_from_json("nothing"));
  EXPECT_FALSE(staged_list_from_json(R"({"v":1})"));
  EXPECT_FALSE(staged_list_from_json(R"({"v":1,"hashes":["../x"]})"));
  EXPECT_THAT(staged_list_from_json(R"({"v":2,"hashes":[]})").error().message, HasSubstr("version 2"));
}

TEST_F(Disposal, files_that_were_not_used_for_long_are_removed) {
  EXPECT_THAT(gone_after(85), ElementsAre("env.tar"));
  EXPECT_THAT(gone_after(91), ElementsAre());
  EXPECT_THAT(gone_after(0), ElementsAre("env.tar", "code.tar"));
}

TEST_F(Disposal, a_job_that_used_it_lately_keeps_it) {
  uses = {{"job-1", {"application_1_0001", {kOne}}, day(90)}};
  EXPECT_THAT(gone_after(30), ElementsAre("code.tar"));
  EXPECT_EQ(last_used(files[0], uses), day(90));
  EXPECT_THAT(gone_after(5), ElementsAre("env.tar", "code.tar"));
}

TEST_F(Disposal, a_job_that_runs_keeps_it_however_old_it_is) {
  uses = {{"job-1", {"application_1_0001", {kOne}}, day(11)}};
  running = {"application_1_0001"};
  EXPECT_THAT(gone_after(0), ElementsAre("code.tar"));
}

TEST_F(Disposal, an_upload_has_a_day_to_end) {
  files = {{kOne, ".env.tar.0a1b", 1, day(100) - std::chrono::hours(23)}, {kTwo, ".code.tar.0a1b", 1, day(98)}};
  EXPECT_THAT(gone_after(0), ElementsAre(".code.tar.0a1b"));
  EXPECT_THAT(gone_after(1000), ElementsAre(".code.tar.0a1b"));
}

}  // namespace
}  // namespace ydl::backend
