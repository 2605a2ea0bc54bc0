#include "client/yarn/master_attempts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::client {
namespace {

using backend::MasterKind;
using ::testing::HasSubstr;

hconf::Config with(std::vector<std::pair<std::string, std::string>> values) {
  hconf::Config config([](const char*) { return std::optional<std::string>(); });
  for (auto& [key, value] : values) config.set(key, std::move(value));
  return config;
}

std::optional<std::string> note(const hconf::Config& config, MasterKind kind = MasterKind::managed) {
  const auto note = note_on_master_limit(config, kind);
  EXPECT_TRUE(note);
  return note ? *note : std::nullopt;
}

TEST(MasterAttempts, a_managed_master_is_started_again_and_finds_its_containers) {
  yarn::Submission submission;
  set_master_attempts(submission, MasterKind::managed);
  EXPECT_EQ(submission.max_attempts, kMostMasterAttempts);
  EXPECT_TRUE(submission.keep_containers);
  EXPECT_EQ(submission.failures_validity, core::Seconds(600));
}

TEST(MasterAttempts, an_unmanaged_master_has_one_attempt) {
  yarn::Submission submission;
  set_master_attempts(submission, MasterKind::unmanaged);
  EXPECT_EQ(submission.max_attempts, 1);
  EXPECT_FALSE(submission.keep_containers);
  EXPECT_EQ(submission.failures_validity, std::nullopt);
}

TEST(MasterAttempts, a_cluster_that_starts_a_master_only_once_is_mentioned) {
  EXPECT_EQ(note(with({})), std::nullopt) << "two, by default";
  EXPECT_EQ(note(with({{"yarn.resourcemanager.am.max-attempts", "1"}})),
            "the cluster starts a master only once (yarn.resourcemanager.am.max-attempts is 1): if it is lost, the job "
            "fails");
  EXPECT_EQ(note(with({{"yarn.resourcemanager.am.max-attempts", "1"}}), MasterKind::unmanaged), std::nullopt)
      << "it would not be restarted anyway";
}

TEST(MasterAttempts, the_global_limit_is_the_one_that_counts) {
  EXPECT_EQ(
      note(with({{"yarn.resourcemanager.am.max-attempts", "1"}, {"yarn.resourcemanager.am.global.max-attempts", "4"}})),
      std::nullopt);
  EXPECT_EQ(note(with({{"yarn.resourcemanager.am.global.max-attempts", "1"}})),
            "the cluster starts a master only once (yarn.resourcemanager.am.global.max-attempts is 1): if it is lost, "
            "the job fails");
}

TEST(MasterAttempts, a_limit_that_is_not_a_number_is_an_error_that_names_it) {
  const auto limit = master_limit(with({{"yarn.resourcemanager.am.max-attempts", "two"}}));
  ASSERT_FALSE(limit);
  EXPECT_THAT(limit.error().message, HasSubstr("yarn.resourcemanager.am.max-attempts"));
}

}  // namespace
}  // namespace ydl::client
