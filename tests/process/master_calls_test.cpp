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

using ::testing::AllOf;
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
    bool is_prepared = false;
    bool ended = false;
  };

  MasterCallsTest() {
    ::signal(SIGPIPE, SIG_IGN);
    listen(0);
  }

  void listen(std::uint16_t port) { server_ = serve(hub_, port, identity_); }

  std::unique_ptr<http::Server> serve(Hub& hub, std::uint16_t port, const net::Identity& identity) {
    http::Router router;
    master::add_agent_routes(router, hub);
    http::ServerOptions options;
    options.secret = "s3cret";
    options.port = port;
    options.identity = identity;
    auto server = std::make_unique<http::Server>(loop_.executor(), options, std::move(router));
    const auto listening = server->listen();
    if (!listening) ADD_FAILURE() << listening.error().message;
    return server;
  }

  Agent& start(core::Millis outlives_master = test::kPatience, std::function<net::awaitable<FolderLook>()> look = {}) {
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
                             .heartbeat = kNoHeartbeat,
                             .look = std::move(look)},
        MasterCalls::Listener{[&agent](core::Result<Command> command) {
                                agent.is_prepared = true;
                                if (const auto* prepare = std::get_if<protocol::Prepare>(&*command))
                                  agent.calls->hold(prepare->attempt);
                                else
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
  EXPECT_THAT(agent.lost, HasSubstr("has given up this container"));
}

TEST_F(MasterCallsTest, all_reports_are_confirmed_when_a_flush_ends) {
  auto& agent = start();
  agent.calls->tell(Note{kAttempt, "before"});
  ASSERT_TRUE(loop_.until([&] { return agent.reports.size() == 1; }));
  agent.calls->tell(protocol::TaskGone{kAttempt});
  const auto began = core::steady_now();
  loop_.run(agent.calls->flush(kNoHeartbeat));
  ASSERT_EQ(agent.reports.size(), 2U);
  EXPECT_LT(core::steady_now() - began, test::kPatience);
}

TEST_F(MasterCallsTest, a_flush_ends_without_a_master_when_its_time_is_over) {
  auto& agent = start();
  agent.calls->tell(Note{kAttempt, "before"});
  ASSERT_TRUE(loop_.until([&] { return agent.reports.size() == 1; }));
  server_.reset();
  agent.calls->tell(protocol::TaskGone{kAttempt});
  loop_.run(agent.calls->flush(core::Millis(50)));
  EXPECT_EQ(agent.reports.size(), 1U);
}

// A job whose master ends while its agent lives on, and the folder that the agent looks at.
class TakenOver : public MasterCallsTest {
 protected:
  TakenOver() {
    agent_ = &start(std::chrono::hours(1), [this] { return look(); });
    EXPECT_TRUE(loop_.until([&] { return agent_->is_prepared; }));
    agent_->calls->tell(protocol::Prepared{kAttempt, {}});
    agent_->calls->tell(protocol::TaskStarted{kAttempt, 7});
    EXPECT_TRUE(loop_.until([&] { return agent_->reports.size() == 2; }));
  }
  void TearDown() override {
    MasterCallsTest::TearDown();
    second_server_.reset();
    loop_.settle();
  }

  net::awaitable<FolderLook> look() {
    ++looks_;
    if (looks_hang_) co_await net::pause(std::chrono::hours(1));
    co_return folder_;
  }
  void master_ends() {
    server_.reset();
    hub_.answer_now({"container_1"});
  }
  // Another master, which knows the agent or not.
  void take_over() {
    second_server_ = serve(second_, 0, identity_);
    folder_ = FolderState{false, MasterPlace{"127.0.0.1", second_server_->port(), 2}};
  }
  void expect_agent() {
    second_.expect({"container_1"}, {[this](const Hello& hello) { hellos_.push_back(hello); },
                                     [this](const Report& report) { told_.push_back(report); }});
    second_.adopt({"container_1"}, kAttempt, 0);
  }

  Agent* agent_ = nullptr;
  FolderLook folder_ = FolderState{};
  int looks_ = 0;
  bool looks_hang_ = false;
  Hub second_{loop_.executor(), protocol::Epoch{2}};
  std::unique_ptr<http::Server> second_server_;
  std::vector<Hello> hellos_;
  std::vector<Report> told_;
};

TEST_F(TakenOver, a_new_master_is_told_what_the_agent_holds_and_is_obeyed) {
  EXPECT_EQ(looks_, 0);
  expect_agent();
  take_over();
  master_ends();
  agent_->calls->tell(Note{kAttempt, "meanwhile"});
  ASSERT_TRUE(loop_.until([&] { return told_.size() >= 3; }));
  ASSERT_EQ(hellos_.size(), 1U);
  EXPECT_EQ(hellos_[0].holds, std::vector{kAttempt});
  EXPECT_TRUE(std::holds_alternative<protocol::Prepared>(told_[0]));
  EXPECT_EQ(std::get<protocol::TaskStarted>(told_[1]).pid, 7);
  EXPECT_EQ(std::get<Note>(told_[2]).text, "meanwhile");
  second_.send({"container_1"}, Release{kAttempt});
  ASSERT_TRUE(loop_.until([&] { return agent_->commands.size() == 1; }));
  const auto looks = looks_;
  agent_->calls->tell(Note{kAttempt, "after"});
  ASSERT_TRUE(loop_.until([&] { return told_.size() >= 4; }));
  EXPECT_EQ(looks_, looks) << "it looked while a master was heard";
}

TEST_F(TakenOver, a_new_master_that_is_not_ready_is_asked_again) {
  second_.begin_taking_over();
  take_over();
  master_ends();
  ASSERT_TRUE(loop_.until([&] { return looks_ >= 2; }));
  EXPECT_EQ(agent_->lost, "");
  expect_agent();
  EXPECT_TRUE(loop_.until([&] { return told_.size() == 2; }));
}

TEST_F(TakenOver, a_new_master_that_does_not_know_the_agent_ends_it) {
  take_over();
  master_ends();
  ASSERT_TRUE(loop_.until([&] { return agent_->ended; }));
  EXPECT_THAT(agent_->lost, AllOf(HasSubstr("refuses this agent"), HasSubstr("is not of this job")));
}

TEST_F(TakenOver, a_revoked_agent_ends) {
  folder_ = FolderState{true, std::nullopt};
  master_ends();
  ASSERT_TRUE(loop_.until([&] { return agent_->ended; }));
  EXPECT_THAT(agent_->lost, HasSubstr("given up this container"));
}

TEST_F(TakenOver, another_program_at_the_masters_port_does_not_end_the_agent) {
  const auto port = server_->port();
  master_ends();
  loop_.settle();
  const auto stranger = serve(second_, port, net::make_identity());
  ASSERT_TRUE(loop_.until([&] { return looks_ >= 2; }));
  EXPECT_EQ(agent_->lost, "");
  expect_agent();
  take_over();
  EXPECT_TRUE(loop_.until([&] { return told_.size() == 2; }));
}

TEST_F(TakenOver, a_suspended_master_makes_its_agents_look_and_is_obeyed_when_it_is_back) {
  hub_.suspend();
  ASSERT_TRUE(loop_.until([&] { return looks_ >= 1; }));
  EXPECT_EQ(agent_->lost, "");
  hub_.resume();
  send(1, Release{kAttempt});
  EXPECT_TRUE(loop_.until([&] { return agent_->commands.size() == 1; }));
}

TEST_F(TakenOver, the_same_master_that_comes_back_is_found_although_looks_hang) {
  looks_hang_ = true;
  const auto port = server_->port();
  master_ends();
  ASSERT_TRUE(loop_.until([&] { return looks_ == 1; }));
  listen(port);
  agent_->calls->tell(Note{kAttempt, "after"});
  EXPECT_TRUE(loop_.until([&] { return agent_->reports.size() == 3; }));
  EXPECT_EQ(agent_->lost, "");
}

}  // namespace
}  // namespace ydl::agent
