// Following another user's job whose master is lost: from reports of the ResourceManager to the next master.
#include "client/yarn/foreign_master.hpp"

#include "support/loop.hpp"

#include <deque>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using yarn::AppState;

yarn::AppReport report(AppState state, int attempt, const std::string& host) {
  yarn::AppReport made;
  made.user = "alice";
  made.tags = {fingerprint_tag(std::string(64, 'a')), "ydl", "train-03fa"};
  made.state = state;
  made.attempt.attempt = attempt;
  made.host = host;
  made.port = host.empty() ? -1 : 4711;
  made.client_token = hrpc::Token{.identifier = host, .password = "pw", .kind = "YARN_CLIENT_TOKEN", .service = ""};
  return made;
}

class FollowForeign : public testing::Test {
 protected:
  net::Async<yarn::AppReport> next_report() {
    auto next = reports_.front();
    if (reports_.size() > 1) reports_.pop_front();
    co_return next;
  }
  core::Result<bool> find() { return loop_.run(master_.find({core::Errc::unavailable, "connection refused"})); }

  test::Loop loop_;
  std::deque<core::Result<yarn::AppReport>> reports_;
  std::vector<std::string> told_;
  ForeignMaster master_{*foreign_job(report(AppState::running, 1, "host1"), "bob"), "bob",
                        [this] { return next_report(); }, [this](const std::string& text) { told_.push_back(text); }};
};

TEST_F(FollowForeign, a_lost_master_is_waited_for_until_the_next_one_has_an_address) {
  reports_ = {report(AppState::running, 1, "host1"), report(AppState::accepted, 2, ""),
              report(AppState::accepted, 2, ""), report(AppState::running, 2, "host2")};
  auto found = find();  // the ResourceManager has not noticed yet: the same master is asked again
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(master_.endpoint().address, "host1");
  found = find();
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(master_.endpoint().address, "host2");
  EXPECT_THAT(told_, ElementsAre(std::string(kMasterGone)));
  master_.answered();
  EXPECT_THAT(told_.back(), HasSubstr("a new master has taken over the job"));
}

TEST_F(FollowForeign, the_end_of_the_application_is_the_end) {
  reports_ = {report(AppState::accepted, 2, ""), report(AppState::finished, 2, "")};
  const auto found = find();
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

TEST_F(FollowForeign, a_resource_manager_that_is_away_is_not_a_reason_to_give_up) {
  reports_ = {core::fail(core::Errc::unavailable, "no route"), report(AppState::running, 1, "host1")};
  const auto found = find();
  EXPECT_TRUE(found && *found);
}

TEST_F(FollowForeign, a_master_that_refuses_is_not_asked_again) {
  reports_ = {report(AppState::running, 1, "host1")};
  const auto found = loop_.run(master_.find({core::Errc::refused, "the ACL does not allow bob"}));
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("the ACL"));
}

}  // namespace
}  // namespace ydl::client
