// The calls of agents to their master over the real server: one connection for each, and nothing waits for anything.
#include "agent/master_calls.hpp"

#include "http/server.hpp"
#include "master/api.hpp"
#include "protocol/hub.hpp"
#include "support/loop.hpp"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

using protocol::Command;
using protocol::Hello;
using protocol::Hub;
using protocol::Note;
using protocol::Release;
using protocol::Report;

using ::testing::HasSubstr;

// Longer than any test waits for something: what comes only with the next heartbeat comes too late.
constexpr core::Millis kNoHeartbeat = std::chrono::minutes(10);
const core::AttemptId kAttempt{{"worker", 0}, 1};

class MasterCallsTest : public testing::Test {
 protected:
  struct Agent {
    std::unique_ptr<MasterCalls> calls;
    std::vector<Command> commands;  // other than the first, which prepares the attempt
    std::vector<Report> reports;    // as the master has them
    std::string lost;
    bool ended = false;
  };

  MasterCallsTest() {
    ::signal(SIGPIPE, SIG_IGN);
    listen(0);
  }

  void listen(std::uint16_t port) {
    http::Router router;
    master::add_agent_routes(router, hub_);
    http::ServerOptions options;
    options.secret = "s3cret";
    options.port = port;
    options.identity = identity_;
    server_ = std::make_unique<http::Server>(loop_.executor(), options, std::move(router));
    const auto listening = server_->listen();
    if (!listening) ADD_FAILURE() << listening.error().message;
  }

  Agent& start(core::Millis outlives_master = test::kPatience) {
    auto& agent = *agents_.emplace_back(std::make_unique<Agent>());
    const core::AgentId id{fmt::format("container_{}", agents_.size())};
    hub_.expect(id, {[](const Hello&) {}, [&agent](const Report& report) { agent.reports.push_back(report); }});
    protocol::Prepare prepare;  // an agent may report about no other attempt
    prepare.attempt = kAttempt;
    hub_.send(id, std::move(prepare));
    agent.calls = std::make_unique<MasterCalls>(
        loop_.executor(),
        MasterCalls::Options{.master = {"127.0.0.1", server_->port(), "s3cret", net::fingerprint_of(identity_).value()},
                             .id = id,
                             .outlives_master = outlives_master,
                             .heartbeat = kNoHeartbeat},
        MasterCalls::Listener{[&agent](core::Result<Command> command) {
                                if (!std::holds_alternative<protocol::Prepare>(*command))
                                  agent.commands.push_back(*std::move(command));
                              },
                              [] {}, [&agent](std::string why) { agent.lost = std::move(why); }});
    loop_.spawn(live(agent));
    return agent;
  }
  static net::awaitable<void> live(Agent& agent) {
    if (const auto welcome = co_await agent.calls->say_hello(); !welcome)
      agent.lost = welcome.error().message;
    else
      co_await agent.calls->run();
    agent.ended = true;
  }
  void TearDown() override {
    for (const auto& agent : agents_) agent->calls->stop();
    EXPECT_TRUE(loop_.until([&] { return std::ranges::all_of(agents_, [](const auto& a) { return a->ended; }); }));
    server_.reset();
    loop_.settle();
  }

  void send(std::size_t agent, Command command) { hub_.send({fmt::format("container_{}", agent)}, std::move(command)); }

  const net::Identity identity_ = net::make_identity();
  test::Loop loop_;
  Hub hub_{loop_.executor()};
  std::unique_ptr<http::Server> server_;
  std::vector<std::unique_ptr<Agent>> agents_;
};

TEST_F(MasterCallsTest, a_hundred_agents_that_report_and_obey_have_a_hundred_connections) {
  constexpr std::size_t kAgents = 100;
  for (std::size_t i = 0; i < kAgents; ++i) start();
  std::size_t most = 0;
  const auto all = [&](const auto& holds) {
    return loop_.until([&] {
      most = std::max(most, server_->connections());
      return std::ranges::all_of(agents_, [&](const auto& agent) { return holds(*agent); });
    });
  };
  for (std::size_t i = 1; i <= kAgents; ++i) send(i, Release{kAttempt});
  ASSERT_TRUE(all([](const Agent& agent) { return agent.commands.size() == 1; }));
  for (const auto& agent : agents_) agent->calls->tell(Note{kAttempt, "a sentence"});
  ASSERT_TRUE(all([](const Agent& agent) { return agent.reports.size() == 1; }));
  EXPECT_EQ(most, kAgents);
}

TEST_F(MasterCallsTest, reports_and_commands_go_at_once_while_a_call_is_open) {
  auto& agent = start();
  for (std::size_t i = 1; i <= 20; ++i) {
    agent.calls->tell(Note{kAttempt, fmt::format("sentence {}", i)});
    ASSERT_TRUE(loop_.until([&] { return agent.reports.size() == i; })) << i;
    send(1, Release{kAttempt});
    ASSERT_TRUE(loop_.until([&] { return agent.commands.size() == i; })) << i;
  }
}

TEST_F(MasterCallsTest, many_reports_arrive_once_each_and_in_order) {
  auto& agent = start();
  constexpr std::size_t kMany = 500;
  for (std::size_t i = 0; i < kMany; ++i) {
    agent.calls->tell(Note{kAttempt, std::to_string(i)});
    if (i % 7 == 0) loop_.settle();
  }
  ASSERT_TRUE(loop_.until([&] { return agent.reports.size() >= kMany; }));
  loop_.settle();
  ASSERT_EQ(agent.reports.size(), kMany);
  for (std::size_t i = 0; i < kMany; ++i) EXPECT_EQ(std::get<Note>(agent.reports[i]).text, std::to_string(i));
}

TEST_F(MasterCallsTest, nothing_is_lost_or_repeated_when_the_connection_breaks) {
  auto& agent = start();
  agent.calls->tell(Note{kAttempt, "before"});
  ASSERT_TRUE(loop_.until([&] { return agent.reports.size() == 1; }));
  const auto port = server_->port();
  server_.reset();
  agent.calls->tell(Note{kAttempt, "meanwhile"});
  send(1, Release{kAttempt});
  loop_.settle();
  listen(port);
  agent.calls->tell(Note{kAttempt, "after"});
  ASSERT_TRUE(loop_.until([&] { return agent.reports.size() >= 3 && !agent.commands.empty(); }));
  EXPECT_EQ(std::get<Note>(agent.reports[1]).text, "meanwhile");
  EXPECT_EQ(std::get<Note>(agent.reports[2]).text, "after");
  EXPECT_EQ(agent.commands.size(), 1U);
}

TEST_F(MasterCallsTest, a_master_that_is_gone_for_too_long_is_lost) {
  auto& agent = start(core::Millis(1));
  agent.calls->tell(Note{kAttempt, "before"});
  ASSERT_TRUE(loop_.until([&] { return agent.reports.size() == 1; }));
  server_.reset();
  hub_.answer_now({"container_1"});  // the server waits for calls that it has begun to answer
  EXPECT_TRUE(loop_.until([&] { return agent.ended; }));
  EXPECT_THAT(agent.lost, HasSubstr("does not answer"));
}

TEST_F(MasterCallsTest, an_agent_that_is_forgotten_hears_so) {
  auto& agent = start();
  agent.calls->tell(Note{kAttempt, "before"});
  ASSERT_TRUE(loop_.until([&] { return agent.reports.size() == 1; }));
  hub_.forget({"container_1"});
  EXPECT_TRUE(loop_.until([&] { return agent.ended; }));
  EXPECT_THAT(agent.lost, HasSubstr("has given this container up"));
}

}  // namespace
}  // namespace ydl::agent
