#include "backend/agent_link.hpp"

#include "job/machine.hpp"
#include "support/loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace ydl::backend {
namespace {

using ::testing::HasSubstr;

const core::AgentId kAgent{"local"};

// A job's machine whose tasks are placed by one agent, as the master connects them.
class AgentLinkTest : public testing::Test {
 protected:
  AgentLinkTest() { link->expect(); }

  static job::Plan plan() {
    job::Plan plan;
    plan.roles = {{"worker", 2}};
    return plan;
  }
  void post(const job::Event& event) {
    told.push_back(event);
    for (const auto& action : machine.handle(event, core::steady_now())) {
      if (const auto* ask = std::get_if<job::Ask>(&action)) {
        protocol::Prepare prepare;
        prepare.attempt = ask->attempt;
        asked.push_back(std::move(prepare));
      }
      if (const auto* release = std::get_if<job::Release>(&action)) link->release(release->attempt);
    }
  }
  void report(const protocol::Report& what) {
    const boost::json::object body{{"epoch", 1},
                                   {"first", static_cast<std::int64_t>(++reported)},
                                   {"reports", boost::json::array{protocol::to_json(what)}}};
    ASSERT_TRUE(hub.reports(kAgent, boost::json::serialize(body)));
  }

  ydl::test::Loop loop;
  protocol::Hub hub{loop.executor()};
  job::Machine machine{plan()};
  std::vector<protocol::Prepare> asked;
  std::vector<job::Event> told;
  int reported = 0;
  std::shared_ptr<AgentLink> link = std::make_shared<AgentLink>(
      hub, kAgent, AgentHost{"127.0.0.1", "host1"},
      Sink{[this](const job::Event& event) { post(event); }, [](const protocol::TaskOutput&) {}, [](std::string) {}});
};

TEST_F(AgentLinkTest, that_a_released_attempt_is_gone_is_nothing_that_the_job_is_told) {
  post(job::Begin{});
  for (const auto& request : asked) link->prepare(request);
  ASSERT_FALSE(asked.empty());
  const auto attempt = asked.front().attempt;
  link->release(attempt);
  const auto before = told.size();
  report(protocol::TaskGone{attempt});
  EXPECT_EQ(told.size(), before);
}

TEST_F(AgentLinkTest, an_agent_that_is_lost_before_it_prepared_a_task_ends_the_job) {
  post(job::Begin{});
  for (const auto& request : asked) link->prepare(request);
  link->lost("the agent on host1 ended by signal 9");
  ASSERT_TRUE(machine.finished());
  EXPECT_EQ(machine.state(), job::JobState::failed);
  EXPECT_THAT(machine.snapshot().outcome->reason, HasSubstr("ended by signal 9"));
  EXPECT_EQ(machine.snapshot().outcome->cause, job::Cause::agent_lost);
}

TEST_F(AgentLinkTest, an_agent_that_is_lost_while_it_prepares_the_last_task_ends_the_job) {
  post(job::Begin{});
  for (const auto& request : asked) link->prepare(request);
  report(protocol::Prepared{asked.front().attempt, {}});
  link->lost("the agent on host1 ended by signal 9");
  EXPECT_EQ(machine.state(), job::JobState::failed);
}

TEST_F(AgentLinkTest, an_attempt_that_cannot_have_its_ports_again_is_lost_and_may_be_placed_with_others) {
  protocol::Prepare request;
  request.attempt = {{"worker", 0}, 2};
  request.ports = 1;
  request.same_ports = {4000};
  link->prepare(request);
  report(protocol::PrepareFailed{request.attempt, "port 4000 is used", job::Cause::port_taken});
  ASSERT_EQ(told.size(), 1U);
  const auto* lost = std::get_if<job::Lost>(&told.front());
  ASSERT_NE(lost, nullptr);
  EXPECT_EQ(lost->attempt, request.attempt);
  EXPECT_EQ(lost->cause, job::Cause::port_taken);
  EXPECT_EQ(lost->reason, "port 4000 is used");
}

}  // namespace
}  // namespace ydl::backend
