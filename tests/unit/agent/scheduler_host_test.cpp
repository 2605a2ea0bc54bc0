// The scheduler at an agent, over loopback: what its master says becomes what it does.
#include "agent/scheduler_host.hpp"

#include "support/loop.hpp"
#include "support/pslite_node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>

namespace ydl::agent {
namespace {

using pslite::Role;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ydl::testing::PsliteNode;
using Next = job::MemberEnded::Next;

const core::AttemptId kServer{{"server", 0}, 1};
const core::AttemptId kWorker{{"worker", 0}, 1};

class SchedulerHostTest : public ::testing::Test {
 protected:
  static protocol::SchedulerPlan plan() { return {1, 1, core::Millis(0), "127.0.0.1"}; }
  core::Result<void> start(const protocol::SchedulerPlan& wanted,
                           std::optional<SchedulerHost::PortRange> range = std::nullopt) {
    auto started = SchedulerHost::start(loop.executor(), wanted, range,
                                        {[this](std::string why) { broken.push_back(std::move(why)); },
                                         [this](std::string text) { notes.push_back(std::move(text)); }});
    if (!started) return core::fail(started.error());
    host = *std::move(started);
    return {};
  }
  PsliteNode& node(Role role) {
    nodes.push_back(std::make_unique<PsliteNode>(loop.executor(), role, host->port()));
    return *nodes.back();
  }
  protocol::SchedulerExpect expect(std::string host_of_nodes) {
    protocol::SchedulerExpect command{kServer, "127.0.0.1", {}, {}};
    command.nodes.push_back({kServer, host_of_nodes, 0});
    command.nodes.push_back({kWorker, host_of_nodes, 0});
    return command;
  }
  net::awaitable<void> join(PsliteNode& one) {
    co_await one.join();
    ++joined;
  }
  void join_all() {
    for (const auto role : {Role::worker, Role::server}) loop.spawn(join(node(role)));
  }

  test::Loop loop;
  std::unique_ptr<SchedulerHost> host;
  std::vector<std::unique_ptr<PsliteNode>> nodes;
  std::vector<std::string> broken;
  std::vector<std::string> notes;
  int joined = 0;
};

TEST_F(SchedulerHostTest, nodes_that_register_before_the_master_announces_them_are_accepted) {
  ASSERT_TRUE(start(plan()));
  join_all();
  loop.settle();
  host->expect(expect("127.0.0.1"));
  ASSERT_TRUE(loop.until([&] { return joined == 2; }));
  EXPECT_THAT(notes, ElementsAre("all 2 nodes registered with the scheduler"));
  host->expect(expect("127.0.0.1"));  // by a master that was restarted
  loop.settle();
  EXPECT_THAT(broken, IsEmpty());
}

TEST_F(SchedulerHostTest, a_registration_from_an_address_without_a_task_is_refused_and_told) {
  ASSERT_TRUE(start(plan()));
  host->expect(expect("10.0.0.7"));
  join_all();
  ASSERT_TRUE(loop.until([&] { return !notes.empty(); }));
  EXPECT_THAT(notes.front(), HasSubstr("from 127.0.0.1, where this job has no"));
  EXPECT_EQ(joined, 0);
}

TEST_F(SchedulerHostTest, an_address_of_an_agent_or_a_network_of_their_own_lets_nodes_in) {
  ASSERT_TRUE(start(plan()));
  auto command = expect("10.0.0.7");
  command.addresses = {"127.0.0.1"};
  host->expect(command);
  join_all();
  ASSERT_TRUE(loop.until([&] { return joined == 2; }));

  auto open = plan();
  open.takes_any_address = true;
  ASSERT_TRUE(start(open));
  host->expect(expect("10.0.0.7"));
  join_all();
  EXPECT_TRUE(loop.until([&] { return joined == 4; }));
}

TEST_F(SchedulerHostTest, an_end_is_told_once_and_fails_those_who_wait) {
  ASSERT_TRUE(start(plan()));
  host->expect(expect("127.0.0.1"));
  for (int i = 0; i < 2; ++i) host->ended({kServer, kServer, Next::left, ""});
  ASSERT_TRUE(loop.until([&] { return !notes.empty(); }));
  loop.settle();
  EXPECT_THAT(notes, ElementsAre(HasSubstr("server:0 ended without registering")));
  loop.spawn(join(node(Role::worker)));
  ASSERT_TRUE(loop.until([&] { return !broken.empty(); }));
  EXPECT_THAT(broken, ElementsAre(HasSubstr("server:0 ended before all nodes had registered")));
}

TEST_F(SchedulerHostTest, nodes_that_do_not_register_in_time_are_named) {
  auto impatient = plan();
  impatient.registration_timeout = core::Millis(30);
  ASSERT_TRUE(start(impatient));
  host->expect(expect("127.0.0.1"));
  ASSERT_TRUE(loop.until([&] { return !broken.empty(); }));
  EXPECT_THAT(broken.front(), HasSubstr("missing: server:0, worker:0"));
}

TEST_F(SchedulerHostTest, a_range_without_a_free_port_is_an_error_that_names_the_option) {
  ASSERT_TRUE(start(plan()));
  const auto taken = host->port();
  const auto first = std::move(host);
  const auto second = start(plan(), SchedulerHost::PortRange{taken, taken});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("--port-range"));
}

}  // namespace
}  // namespace ydl::agent
