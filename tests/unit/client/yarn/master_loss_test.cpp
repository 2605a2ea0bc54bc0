// What reports of the ResourceManager tell about a master that may be lost and started again.
#include "client/yarn/master_loss.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::client {
namespace {

using ::testing::Optional;
using yarn::AppState;
using enum MasterEvidence;

yarn::AppReport report(AppState state, int attempt) {
  yarn::AppReport report;
  report.state = state;
  report.attempt.attempt = attempt;
  return report;
}

TEST(MasterLoss, a_first_master_that_is_awaited_was_not_lost) {
  EXPECT_FALSE(is_between_masters(report(AppState::submitted, -1)));
  EXPECT_FALSE(is_between_masters(report(AppState::accepted, 1)));
  EXPECT_FALSE(is_between_masters(report(AppState::running, 2))) << "the second one runs";
  EXPECT_FALSE(is_between_masters(report(AppState::failed, 2)));
  EXPECT_TRUE(is_between_masters(report(AppState::accepted, 2)));
}

TEST(MasterLoss, evidence_follows_the_application_through_the_loss_of_a_master) {
  EXPECT_EQ(evidence_of(report(AppState::running, 1), 1, KnownAddress::same), running) << "silent, or not noticed yet";
  EXPECT_EQ(evidence_of(report(AppState::accepted, 2), 1, KnownAddress::same), gone);
  EXPECT_EQ(evidence_of(report(AppState::accepted, 2), 1, KnownAddress::another), replaced) << "it listens already";
  EXPECT_EQ(evidence_of(report(AppState::running, 2), 1, KnownAddress::same), replaced);
  EXPECT_EQ(evidence_of(report(AppState::running, 2), 1, KnownAddress::another), replaced);
  EXPECT_EQ(evidence_of(report(AppState::running, 2), 2, KnownAddress::same), running);
}

TEST(MasterLoss, the_end_of_the_application_is_the_end_whatever_address_is_there) {
  for (const auto state : {AppState::finished, AppState::failed, AppState::killed}) {
    EXPECT_EQ(evidence_of(report(state, 2), 1, KnownAddress::another), over);
    EXPECT_EQ(evidence_of(report(state, 1), 1, KnownAddress::same), over);
  }
}

TEST(MasterWatch, says_once_for_each_lost_master_that_another_is_awaited) {
  MasterWatch watch;
  EXPECT_EQ(watch.saw(report(AppState::accepted, 1)), std::nullopt);
  EXPECT_EQ(watch.saw(report(AppState::running, 1)), std::nullopt);
  EXPECT_THAT(watch.saw(report(AppState::accepted, 2)), Optional(std::string(kMasterGone)));
  EXPECT_EQ(watch.saw(report(AppState::accepted, 2)), std::nullopt);
  EXPECT_EQ(watch.saw(report(AppState::running, 2)), std::nullopt);
  EXPECT_THAT(watch.saw(report(AppState::accepted, 3)), Optional(std::string(kMasterGone)));
  EXPECT_EQ(watch.saw(report(AppState::failed, 4)), std::nullopt);
}

// It has registered before its address is on HDFS.
TEST(RepeatedStop, a_next_master_is_asked_until_it_answers) {
  using enum RepeatedStop::Next;
  RepeatedStop stop;
  core::Instant now{core::Seconds(1000)};
  EXPECT_EQ(stop.saw(report(AppState::running, 1), now), wait) << "it has taken the stop";
  EXPECT_EQ(stop.saw(report(AppState::accepted, 2), now), wait);
  EXPECT_EQ(stop.saw(report(AppState::running, 2), now), ask);
  EXPECT_EQ(stop.saw(report(AppState::running, 2), now + core::Seconds(29)), ask)
      << "the address it had is the old one";
  stop.taken();
  EXPECT_EQ(stop.saw(report(AppState::running, 2), now + core::Seconds(40)), wait);
  now += core::Seconds(60);
  EXPECT_EQ(stop.saw(report(AppState::running, 3), now), ask) << "each master has its time";
  EXPECT_EQ(stop.saw(report(AppState::running, 3), now + core::Seconds(30)), give_up);
}

}  // namespace
}  // namespace ydl::client
