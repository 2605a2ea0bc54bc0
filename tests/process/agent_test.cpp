// A whole agent in a process of its own, and its master's side in this one.
#include "agent/agent.hpp"

#include "core/files.hpp"
#include "http/server.hpp"
#include "master/api.hpp"
#include "net/endpoint_file.hpp"
#include "protocol/hub.hpp"
#include "support/loop.hpp"
#include "support/temp_dir.hpp"

#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ydl::agent {
namespace {

namespace fs = std::filesystem;

const core::AgentId kAgent{"container_1"};
const core::AttemptId kFirst{{"worker", 0}, 1};
const core::AttemptId kSecond{{"worker", 1}, 1};

class WholeAgent : public testing::Test {
 protected:
  WholeAgent() {
    ::signal(SIGPIPE, SIG_IGN);
    http::Router router;
    master::add_agent_routes(router, hub_);
    http::ServerOptions options;
    options.secret = "s3cret";
    const auto identity = net::make_identity();
    options.identity = identity;
    const auto fingerprint = net::fingerprint_of(identity).value();
    server_ = std::make_unique<http::Server>(loop_.executor(), options, std::move(router));
    EXPECT_TRUE(server_->listen());
    hub_.expect(kAgent, {[](const protocol::Hello&) {},
                         [this](const protocol::Report& report) { reports_.push_back(report); }});
    const auto credentials = dir_.path() / "master.json";
    EXPECT_TRUE(net::write_endpoint(credentials, {"127.0.0.1", server_->port(), "s3cret", fingerprint}));
    agent_ = ::fork();
    if (agent_ != 0) return;
    fs::current_path(dir_.path());
    ::setpgid(0, 0);
    ::alarm(60);
    AgentOptions agent;
    agent.id = kAgent;
    agent.credentials = credentials;
    ::_exit(run_agent_process(agent));
  }
  void TearDown() override {
    ::kill(-agent_, SIGKILL);
    if (!exit_status_) ::waitpid(agent_, nullptr, 0);
    server_.reset();
    loop_.settle();
  }

  void prepare_and_launch(const core::AttemptId& attempt) {
    prepare(attempt);
    launch(attempt);
    ASSERT_TRUE(loop_.until([&] { return count<protocol::TaskStarted>(attempt) == 1; }));
  }
  void prepare(const core::AttemptId& attempt) {
    const auto folder = dir_.path() / attempt.task.file_name();
    protocol::Prepare prepare;
    prepare.attempt = attempt;
    prepare.working_directory = (folder / "work").string();
    prepare.results_directory = (folder / "results").string();
    prepare.log_directory = (folder / "logs").string();
    hub_.send(kAgent, prepare);
    ASSERT_TRUE(loop_.until([&] { return count<protocol::Prepared>(attempt) == 1; }));
  }
  void launch(const core::AttemptId& attempt) {
    hub_.send(kAgent, protocol::Launch{attempt, {"/bin/sh", "-c", "echo $$ >> pids; exec sleep 600"}});
  }
  template <class R>
  [[nodiscard]] std::ptrdiff_t count(const core::AttemptId& attempt) const {
    return std::ranges::count_if(reports_, [&](const auto& report) {
      const auto* wanted = std::get_if<R>(&report);
      return wanted != nullptr && wanted->attempt == attempt;
    });
  }
  [[nodiscard]] test::Watched process_of(const core::AttemptId& attempt) const {
    for (const auto& report : reports_) {
      const auto* started = std::get_if<protocol::TaskStarted>(&report);
      if (started != nullptr && started->attempt == attempt) return test::Watched(started->pid);
    }
    ADD_FAILURE() << "it was not started";
    return test::Watched(0);
  }
  [[nodiscard]] bool agent_ends() {
    return loop_.until([&] {
      int status = 0;
      if (::waitpid(agent_, &status, WNOHANG) == agent_) exit_status_ = status;
      return exit_status_.has_value();
    });
  }

  test::TempDir dir_;
  test::Loop loop_;
  protocol::Hub hub_{loop_.executor()};
  std::unique_ptr<http::Server> server_;
  std::vector<protocol::Report> reports_;
  pid_t agent_ = 0;
  std::optional<int> exit_status_;
};

TEST_F(WholeAgent, says_that_a_released_attempt_is_gone_when_it_is) {
  prepare_and_launch(kFirst);
  const auto process = process_of(kFirst);
  ASSERT_TRUE(process.is_alive());
  hub_.send(kAgent, protocol::Release{kFirst});
  ASSERT_TRUE(loop_.until([&] { return count<protocol::TaskGone>(kFirst) == 1; }));
  EXPECT_TRUE(process.dies(core::Millis(0))) << "it still ran";
  // A master that took the job over may not know that it was told.
  hub_.send(kAgent, protocol::Release{kFirst});
  EXPECT_TRUE(loop_.until([&] { return count<protocol::TaskGone>(kFirst) == 2; }));
}

TEST_F(WholeAgent, does_nothing_twice_that_a_new_master_repeats) {
  prepare_and_launch(kFirst);
  protocol::Prepare again;
  again.attempt = kFirst;
  hub_.send(kAgent, again);
  launch(kFirst);
  prepare_and_launch(kSecond);  // what was sent before it has been carried out
  EXPECT_EQ(count<protocol::Prepared>(kFirst), 1);
  EXPECT_EQ(count<protocol::TaskStarted>(kFirst), 1);
  EXPECT_TRUE(process_of(kFirst).is_alive());
  const auto pids = core::read_file(dir_.path() / "worker-0" / "work" / "pids").value_or("");
  EXPECT_EQ(std::ranges::count(pids, '\n'), 1) << pids;
}

// A master that was lost has prepared and launched it, and its successor does not know.
TEST_F(WholeAgent, ends_an_attempt_that_holds_the_directory_of_another) {
  prepare_and_launch(kFirst);
  const auto process = process_of(kFirst);
  const core::AttemptId next{kFirst.task, 2};
  prepare(next);
  EXPECT_TRUE(process.dies(core::Millis(0))) << "two attempts of one task ran";
  EXPECT_EQ(count<protocol::TaskGone>(kFirst), 1);
  prepare_and_launch(kSecond);
  EXPECT_TRUE(process_of(kSecond).is_alive()) << "it has a directory of its own";
}

TEST_F(WholeAgent, told_to_shut_down_it_says_that_its_tasks_are_gone_and_ends) {
  prepare_and_launch(kFirst);
  prepare_and_launch(kSecond);
  const auto first = process_of(kFirst);
  const auto second = process_of(kSecond);
  hub_.send(kAgent, protocol::Shutdown{});
  ASSERT_TRUE(agent_ends());
  EXPECT_TRUE(WIFEXITED(*exit_status_) && WEXITSTATUS(*exit_status_) == 0);
  EXPECT_EQ(count<protocol::TaskGone>(kFirst), 1);
  EXPECT_EQ(count<protocol::TaskGone>(kSecond), 1);
  EXPECT_EQ(count<protocol::TaskExited>(kFirst), 0);
  EXPECT_TRUE(first.dies(core::Millis(0)) && second.dies(core::Millis(0)));
}

}  // namespace
}  // namespace ydl::agent
