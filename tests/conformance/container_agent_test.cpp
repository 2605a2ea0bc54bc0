// The built ydl as the agent of a container: no lifeline, and all attempts in the directories of the container.
#include "core/files.hpp"
#include "core/strings.hpp"
#include "http/server.hpp"
#include "master/api.hpp"
#include "net/child_process.hpp"
#include "net/endpoint_file.hpp"
#include "protocol/hub.hpp"
#include "support/loop.hpp"
#include "support/temp_dir.hpp"

#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <optional>

namespace ydl::backend::test {
namespace {

const core::AgentId kAgent{"container_1"};

class ContainerAgent : public testing::Test {
 protected:
  ContainerAgent() { master::add_agent_routes(routes_, hub_); }

  void SetUp() override {
    http::ServerOptions options;
    options.file = socket();
    options.secret = secret_;
    server_ = std::make_unique<http::Server>(loop_.executor(), options, std::move(routes_));
    ASSERT_TRUE(server_->listen());
    const auto credentials = dir_.path() / "master.json";
    ASSERT_TRUE(net::write_endpoint(credentials, {.address = {}, .secret = secret_, .file = socket()}));
    hub_.expect(kAgent, {[](const protocol::Hello&) {},
                         [this](const protocol::Report& report) { reports_.push_back(report); }});
    std::filesystem::create_directory(container());
    net::SpawnOptions spawn;
    spawn.executable = YDL_BINARY;
    spawn.argv = {"ydl",  "__agent", "--id", kAgent.str(), "--credentials", credentials.string(), "--outlives-master",
                  "60000"};
    spawn.directory = container();
    spawn.log_file = dir_.path() / "agent.log";
    auto process = net::ChildProcess::spawn(std::move(spawn));
    ASSERT_TRUE(process) << process.error().message;
    agent_.emplace(*std::move(process));
  }
  void TearDown() override {
    if (!agent_) return;
    hub_.send(kAgent, protocol::Shutdown{});
    EXPECT_EQ(loop_.run(agent_->wait()), 0) << core::read_file(dir_.path() / "agent.log").value_or("");
    server_.reset();
    loop_.settle();
  }

  [[nodiscard]] std::filesystem::path socket() const { return dir_.path() / "master.sock"; }
  [[nodiscard]] std::filesystem::path container() const { return dir_.path() / "container"; }
  static core::AttemptId attempt(int number) { return {{"worker", 0}, number}; }

  template <class Event>
  Event expect(int number) {
    const Event* found = nullptr;
    EXPECT_TRUE(loop_.until([&] {
      for (const auto& report : reports_) {
        const auto* wanted = std::get_if<Event>(&report);
        if (wanted != nullptr && wanted->attempt == attempt(number)) found = wanted;
      }
      return found != nullptr;
    })) << "attempt "
        << number << " was not heard of; the agent's log: " << core::read_file(dir_.path() / "agent.log").value_or("");
    return found == nullptr ? Event{} : *found;
  }
  protocol::Prepared prepare(int number, std::vector<std::uint16_t> same_ports = {}) {
    protocol::Prepare request;
    request.attempt = attempt(number);
    request.ports = 1;
    request.same_ports = std::move(same_ports);
    request.working_directory = "task";
    request.results_directory = "results";
    request.log_directory = ".";
    request.stall_timeout = stall_timeout_;
    hub_.send(kAgent, request);
    return expect<protocol::Prepared>(number);
  }
  void run(int number, const std::string& script) {
    hub_.send(kAgent, protocol::Launch{attempt(number), {"/bin/sh", "-c", script}, {}});
  }
  [[nodiscard]] std::string content(const std::string& file) const {
    return core::read_file(container() / file).value_or("no such file");
  }

  ydl::test::TempDir dir_;
  ydl::test::Loop loop_;
  const std::string secret_ = core::random_hex(16);
  protocol::Hub hub_{loop_.executor()};
  http::Router routes_;
  std::unique_ptr<http::Server> server_;
  std::optional<net::ChildProcess> agent_;
  std::vector<protocol::Report> reports_;
  core::Millis stall_timeout_{0};
};

TEST_F(ContainerAgent, runs_the_attempts_of_its_task_one_after_the_other) {
  const auto first = prepare(1);
  run(1, "echo one; echo weights > model; exit 3");
  EXPECT_EQ(expect<protocol::TaskExited>(1).status.code, 3);

  hub_.send(kAgent, protocol::Release{attempt(1)});
  const auto second = prepare(2, first.ports);
  EXPECT_EQ(second.ports, first.ports);
  run(2, "echo two; cat model; echo more > model2");
  EXPECT_EQ(expect<protocol::TaskExited>(2).status.code, 0);
  EXPECT_EQ(content("stdout"), "two\nweights\n");
  EXPECT_EQ(content("stdout.1"), "one\n");
  EXPECT_EQ(content("results/model"), "weights\n");
  EXPECT_EQ(content("results/model2"), "more\n");
}

TEST_F(ContainerAgent, ends_an_attempt_that_still_runs_before_it_prepares_the_next) {
  const auto first = prepare(1);
  run(1, "trap '' TERM; echo $$ > pid; echo ready; sleep 600 & wait; wait");
  EXPECT_EQ(expect<protocol::TaskOutput>(1).last_line, "ready");
  const auto pid = core::parse_int<int>(core::trim(content("task/pid")));
  ASSERT_TRUE(pid);
  hub_.send(kAgent, protocol::Release{attempt(1)});
  EXPECT_EQ(prepare(2, first.ports).ports, first.ports);
  EXPECT_NE(::kill(*pid, 0), 0);
  EXPECT_EQ(content("stdout.1"), "ready\n");
}

// ---- tasks that will lose their containers

TEST_F(ContainerAgent, warns_a_task_by_a_file_and_those_that_handle_it_by_a_signal) {
  prepare(1);
  run(1, "trap 'cat $YDL_PREEMPTION_FILE; exit 0' TERM; echo ready; sleep 600 & wait");
  EXPECT_EQ(expect<protocol::TaskOutput>(1).last_line, "ready");
  hub_.send(kAgent, protocol::Warn{attempt(1), {"worker", 0}, job::Cause::preempted, core::Seconds(14)});
  const auto end = expect<protocol::TaskExited>(1);
  EXPECT_EQ(end.status.code, 0);
  EXPECT_EQ(end.status.cause, job::Cause::preempted) << "its work is not done";
  EXPECT_NE(content("stdout").find(R"({"task":"worker:0","deadline":)"), std::string::npos) << content("stdout");
  EXPECT_NE(content("stdout").find(R"("seconds":14,"cause":"preempted"})"), std::string::npos) << content("stdout");
}

TEST_F(ContainerAgent, warns_of_a_peer_by_the_file_alone_and_calls_it_off) {
  prepare(1);
  run(1,
      "trap 'exit 9' TERM; echo ready; until [ -e $YDL_PREEMPTION_FILE ]; do sleep 0.01; done; echo warned;"
      "while [ -e $YDL_PREEMPTION_FILE ]; do sleep 0.01; done; exit 3");
  EXPECT_EQ(expect<protocol::TaskOutput>(1).last_line, "ready");
  hub_.send(kAgent, protocol::Warn{attempt(1), {"worker", 1}, job::Cause::decommissioned, core::Seconds(60)});
  EXPECT_TRUE(loop_.until([&] { return content("stdout") == "ready\nwarned\n"; }));
  hub_.send(kAgent, protocol::CallOff{attempt(1)});
  const auto end = expect<protocol::TaskExited>(1);
  EXPECT_EQ(end.status.code, 3);
  EXPECT_EQ(end.status.cause, job::Cause::none);
}

TEST_F(ContainerAgent, a_task_without_a_handler_is_not_ended_by_its_warning) {
  prepare(1);
  run(1, "echo ready; until [ -e $YDL_PREEMPTION_FILE ]; do sleep 0.01; done; exit 3");
  EXPECT_EQ(expect<protocol::TaskOutput>(1).last_line, "ready");
  hub_.send(kAgent, protocol::Warn{attempt(1), {"worker", 0}, job::Cause::preempted, core::Seconds(14)});
  const auto end = expect<protocol::TaskExited>(1);
  EXPECT_EQ(end.status.code, 3);
  EXPECT_EQ(end.status.cause, job::Cause::none) << "the job has the warning";
}

// ---- tasks that hang

TEST_F(ContainerAgent, reports_a_task_that_writes_nothing_and_one_that_writes_again) {
  stall_timeout_ = core::Millis(300);
  prepare(1);
  run(1, "echo ready; until [ -e ../go ]; do sleep 0.01; done; echo more; sleep 600");
  expect<protocol::TaskSilent>(1);
  ASSERT_TRUE(core::write_file_atomically(container() / "go", "", 0600));
  expect<protocol::TaskWrites>(1);
}

TEST_F(ContainerAgent, writes_what_a_task_that_hangs_is_doing_before_it_ends_it) {
  prepare(1);
  run(1, "echo ready; sleep 600 & wait");
  EXPECT_EQ(expect<protocol::TaskOutput>(1).last_line, "ready");
  hub_.send(kAgent, protocol::Stop{attempt(1), core::Seconds(5), true});
  EXPECT_EQ(expect<protocol::TaskExited>(1).status.signal, SIGTERM);
  EXPECT_NE(content("stacks").find("worker:0 (attempt 1)"), std::string::npos) << content("stacks");
  EXPECT_NE(content("stacks").find(": sleep 600\n  thread "), std::string::npos) << content("stacks");
}

}  // namespace
}  // namespace ydl::backend::test
