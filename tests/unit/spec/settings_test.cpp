#include "spec/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::spec {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view text) {
  const auto settings = parse_settings(text, "config.yaml");
  return settings ? "accepted" : settings.error().message;
}

TEST(Settings, all_settings_are_read) {
  EXPECT_EQ(parse_settings("keep_jobs: 30d\nsite_cache: /apps/ydl\nsite_cache_owner: deploy\n", "f"),
            (Settings{std::chrono::days(30), "/apps/ydl", "deploy"}));
  EXPECT_EQ(parse_settings("# nothing yet\n", "f"), Settings{});
}

TEST(Settings, an_error_has_its_line) {
  EXPECT_EQ(refusal("keep_jobs: 30d\nkeep_job: 3d\n"),
            "config.yaml:2: unknown key 'keep_job'; did you mean 'keep_jobs'?");
  EXPECT_THAT(refusal("keep_jobs: 30m\n"), HasSubstr("config.yaml:1: keep_jobs: this must be at least a day"));
  EXPECT_THAT(refusal("keep_jobs: long\n"), HasSubstr("config.yaml:1: keep_jobs"));
  EXPECT_THAT(refusal("site_cache: apps\n"), HasSubstr("is not a folder in HDFS"));
  EXPECT_THAT(refusal("site_cache_owner: hdfs/nn@REALM\n"), HasSubstr("is not the short name of a user"));
  EXPECT_THAT(refusal("- keep_jobs\n"), HasSubstr("this must be a mapping"));
}

TEST(Settings, a_users_settings_override_those_of_the_site) {
  const Settings site{std::chrono::days(30), "/apps/ydl", "deploy"};
  EXPECT_EQ(merge({std::chrono::days(7), std::nullopt, std::nullopt}, site),
            (Settings{std::chrono::days(7), "/apps/ydl", "deploy"}));
}

}  // namespace
}  // namespace ydl::spec
