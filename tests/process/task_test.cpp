#include "agent/task.hpp"

#include "agent/process/tree_killer.hpp"
#include "core/files.hpp"
#include "support/loop.hpp"
#include "support/temp_dir.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

namespace fs = std::filesystem;

const core::AttemptId kAttempt{{"worker", 0}, 1};

// A task at its agent, without a master: reports are kept.
class AgentTask : public testing::Test {
 protected:
  AgentTask() {
    adopt_orphans();
    surroundings_.job = "story";
    request_.attempt = kAttempt;
    request_.working_directory = (dir_.path() / "work").string();
    request_.results_directory = (dir_.path() / "results").string();
    request_.log_directory = (dir_.path() / "logs").string();
  }
  void TearDown() override {
    if (task_ != nullptr) task_->end();
    task_.reset();
    loop_.settle();
    kill_leftovers({});
  }

  void launch(std::vector<std::string> argv) {
    task_ = std::make_shared<Task>(loop_.executor(), machine_, surroundings_, request_,
                                   [this](protocol::Report report) { reports_.push_back(std::move(report)); });
    task_->prepare(std::make_shared<DirectoryListings>());
    ASSERT_TRUE(loop_.until([&] { return find<protocol::Prepared>() || find<protocol::PrepareFailed>(); }));
    ASSERT_TRUE(find<protocol::Prepared>())
        << find<protocol::PrepareFailed>().value_or(protocol::PrepareFailed{}).reason;
    task_->make_ready({kAttempt, std::move(argv), {}});
    task_->start();
    task_->watch();
  }

  template <class Event>
  [[nodiscard]] std::optional<Event> find() const {
    for (const auto& report : reports_) {
      if (const auto* event = std::get_if<Event>(&report)) return *event;
    }
    return std::nullopt;
  }
  [[nodiscard]] bool comes_to_exist(const fs::path& path) {
    return loop_.until([&] { return fs::exists(path); });
  }
  [[nodiscard]] std::optional<protocol::TaskExited> end_of_task() {
    EXPECT_TRUE(loop_.until([&] { return find<protocol::TaskExited>().has_value(); })) << "its end was not reported";
    return find<protocol::TaskExited>();
  }

  test::TempDir dir_;
  Machine machine_;
  test::Loop loop_;
  Surroundings surroundings_;
  protocol::Prepare request_;
  std::vector<protocol::Report> reports_;
  std::shared_ptr<Task> task_;
};

// A folder of submission may have thousands of entries to link for each of hundreds of tasks.
TEST_F(AgentTask, a_task_with_many_files_is_prepared_outside_the_loop) {
  request_.linked_directory = (dir_.path() / "submitted").string();
  std::filesystem::create_directory(request_.linked_directory);
  for (int i = 0; i < 300; ++i)
    ASSERT_TRUE(core::write_file_atomically(request_.linked_directory + fmt::format("/{}", i), ""));
  task_ = std::make_shared<Task>(loop_.executor(), machine_, surroundings_, request_,
                                 [this](protocol::Report report) { reports_.push_back(std::move(report)); });
  task_->prepare(std::make_shared<DirectoryListings>());
  EXPECT_TRUE(reports_.empty());
  EXPECT_TRUE(loop_.until([&] { return find<protocol::Prepared>().has_value(); }));
  EXPECT_TRUE(std::filesystem::exists(dir_.path() / "work" / "299"));
}

TEST_F(AgentTask, processes_that_a_task_left_behind_are_counted) {
  launch({"/bin/sh", "-c", "sleep 600 & exit 0"});
  const auto exited = end_of_task();
  ASSERT_TRUE(exited);
  EXPECT_TRUE(exited->status.ok());
  EXPECT_EQ(exited->leftovers, 1);
}

TEST_F(AgentTask, processes_of_a_task_that_was_stopped_were_not_left_behind) {
  launch({"/bin/sh", "-c", "trap '' TERM; sleep 600 & sleep 600 & : > started; wait; wait"});
  ASSERT_TRUE(comes_to_exist(dir_.path() / "work" / "started"));
  task_->stop({task_->request().attempt, core::Millis(0)});
  const auto exited = end_of_task();
  ASSERT_TRUE(exited);
  EXPECT_FALSE(exited->status.ok());
  EXPECT_EQ(exited->leftovers, 0);
}

TEST_F(AgentTask, a_second_launch_starts_nothing) {
  launch({"/bin/sh", "-c", "echo >> starts; exec sleep 600"});
  ASSERT_TRUE(loop_.until([&] { return find<protocol::TaskStarted>().has_value(); }));
  const auto launch_again = [&] {
    task_->make_ready({kAttempt, {"/bin/sh", "-c", "echo >> starts; exec sleep 600"}, {}});
    task_->start();
    task_->watch();
  };
  const auto reaper = task_->reaper_pid();
  launch_again();
  EXPECT_EQ(task_->reaper_pid(), reaper);
  ASSERT_TRUE(loop_.until([&] { return core::read_file(dir_.path() / "work" / "starts").value_or("") == "\n"; }));
  task_->stop({kAttempt, core::Millis(0)});
  ASSERT_TRUE(end_of_task());
  launch_again();
  EXPECT_FALSE(task_->running());
  loop_.settle();
  EXPECT_EQ(std::ranges::count_if(
                reports_, [](const auto& report) { return std::holds_alternative<protocol::TaskStarted>(report); }),
            1);
  EXPECT_EQ(core::read_file(dir_.path() / "results" / "starts"), "\n");
}

TEST_F(AgentTask, that_nothing_of_it_runs_is_told_when_its_processes_are_gone) {
  launch({"/bin/sh", "-c", "trap '' TERM; sleep 600 & : > started; wait; wait"});
  ASSERT_TRUE(comes_to_exist(dir_.path() / "work" / "started"));
  const auto reaper = task_->reaper_pid();
  const auto end = task_->processes_end();
  EXPECT_FALSE(end->is_over);
  task_->give_up();
  EXPECT_FALSE(end->is_over);
  ASSERT_TRUE(loop_.until([&] { return end->is_over; }));
  EXPECT_NE(::kill(reaper, 0), 0);
}

TEST_F(AgentTask, of_a_task_that_was_not_launched_nothing_runs) {
  task_ = std::make_shared<Task>(loop_.executor(), machine_, surroundings_, request_, [](const protocol::Report&) {});
  EXPECT_FALSE(task_->processes_end()->is_over);
  task_->give_up();
  EXPECT_TRUE(task_->processes_end()->is_over);
}

TEST_F(AgentTask, what_it_wrote_is_among_its_results_when_its_end_is_reported) {
  launch({"/bin/sh", "-c", "echo weights > model"});
  ASSERT_TRUE(end_of_task());
  EXPECT_EQ(core::read_file(dir_.path() / "results" / "model"), "weights\n");
}

// Two attempts of a task, one after the other, in the directories of one container.
class NextAttempt : public AgentTask {
 protected:
  NextAttempt() { surroundings_.renews_directories = true; }

  // As the agent does when its master releases an attempt and has the next one prepared.
  void release_and_prepare() {
    const EarlierAttempt earlier{request_.attempt.attempt, task_->departure()};
    task_->give_up();
    task_.reset();
    reports_.clear();
    ++request_.attempt.attempt;
    task_ = std::make_shared<Task>(loop_.executor(), machine_, surroundings_, request_,
                                   [this](protocol::Report report) { reports_.push_back(std::move(report)); });
    task_->prepare(std::make_shared<DirectoryListings>(), earlier);
  }
  void run(std::vector<std::string> argv) {
    task_->make_ready({request_.attempt, std::move(argv), {}});
    task_->start();
    task_->watch();
  }
  [[nodiscard]] std::string log(const std::string& name) const {
    return core::read_file(dir_.path() / "logs" / name).value_or("no such file");
  }
};

TEST_F(NextAttempt, has_a_new_working_directory_with_the_results_of_the_one_before_it) {
  request_.linked_directory = (dir_.path() / "submitted").string();
  fs::create_directory(request_.linked_directory);
  ASSERT_TRUE(core::write_file_atomically(dir_.path() / "submitted" / ".ydlignore", "scratch\n"));
  launch({"/bin/sh", "-c", "echo weights > model; echo half > scratch; exit 3"});
  ASSERT_TRUE(end_of_task());
  ASSERT_TRUE(fs::exists(dir_.path() / "work" / "scratch")) << "it is not among the results";
  release_and_prepare();
  ASSERT_TRUE(loop_.until([&] { return find<protocol::Prepared>().has_value(); }));
  EXPECT_EQ(find<protocol::Prepared>()->attempt.attempt, 2);
  EXPECT_FALSE(fs::exists(dir_.path() / "work" / "scratch"));
  EXPECT_TRUE(fs::is_symlink(dir_.path() / "work" / "model"));
  EXPECT_EQ(core::read_file(dir_.path() / "work" / "model"), "weights\n");
}

TEST_F(NextAttempt, has_logs_of_its_own_and_those_before_it_keep_their_number) {
  launch({"/bin/sh", "-c", "echo one; echo wrong >&2; exit 3"});
  ASSERT_TRUE(end_of_task());
  release_and_prepare();
  ASSERT_TRUE(loop_.until([&] { return find<protocol::Prepared>().has_value(); }));
  EXPECT_EQ(log("stdout"), "no such file");
  run({"/bin/sh", "-c", "echo two"});
  ASSERT_TRUE(end_of_task());
  EXPECT_EQ(log("stdout"), "two\n");
  EXPECT_EQ(log("stderr"), "");
  EXPECT_EQ(log("stdout.1"), "one\n");
  EXPECT_EQ(log("stderr.1"), "wrong\n");
  release_and_prepare();
  ASSERT_TRUE(loop_.until([&] { return find<protocol::Prepared>().has_value(); }));
  EXPECT_EQ(log("stdout.1"), "one\n");
  EXPECT_EQ(log("stdout.2"), "two\n");
}

TEST_F(NextAttempt, is_prepared_when_nothing_of_a_running_one_is_left) {
  launch({"/bin/sh", "-c", "trap '' TERM; echo weights > model; : > started; sleep 600 & wait; wait"});
  ASSERT_TRUE(comes_to_exist(dir_.path() / "work" / "started"));
  const auto reaper = task_->reaper_pid();
  release_and_prepare();
  ASSERT_TRUE(loop_.until([&] { return find<protocol::Prepared>().has_value(); }));
  EXPECT_NE(::kill(reaper, 0), 0) << "the attempt before it still ran";
  EXPECT_EQ(core::read_file(dir_.path() / "work" / "model"), "weights\n") << "its results were not kept before";
}

TEST_F(NextAttempt, gets_the_ports_of_the_one_before_it) {
  request_.ports = 2;
  launch({"/bin/sh", "-c", "exit 3"});
  ASSERT_TRUE(end_of_task());
  request_.same_ports = find<protocol::Prepared>()->ports;
  release_and_prepare();
  ASSERT_TRUE(loop_.until([&] { return find<protocol::Prepared>() || find<protocol::PrepareFailed>(); }));
  ASSERT_TRUE(find<protocol::Prepared>()) << find<protocol::PrepareFailed>()->reason;
  EXPECT_EQ(find<protocol::Prepared>()->ports, request_.same_ports);
}

TEST_F(NextAttempt, is_not_prepared_when_another_program_has_its_port) {
  request_.ports = 1;
  launch({"/bin/sh", "-c", "exit 3"});
  ASSERT_TRUE(end_of_task());
  request_.same_ports = find<protocol::Prepared>()->ports;
  core::UniqueFd stranger(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(stranger.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(request_.same_ports.front());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(stranger.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(stranger.get(), 1), 0);
  release_and_prepare();
  ASSERT_TRUE(loop_.until([&] { return find<protocol::PrepareFailed>().has_value(); }));
  EXPECT_EQ(find<protocol::PrepareFailed>()->cause, job::Cause::port_taken);
  EXPECT_NE(find<protocol::PrepareFailed>()->reason.find("used by another program"), std::string::npos);
}

// A program in place of podman. `podman rm` waits until the test lets it go on.
class ImageTask : public AgentTask {
 protected:
  static void SetUpTestSuite() {
    runtime() = std::make_unique<test::TempDir>();
    const auto script = runtime()->path() / "podman";
    ASSERT_TRUE(core::write_file_atomically(script, R"(#!/bin/sh
here=$(dirname "$0")
case "$1" in
  run) exit 0 ;;
  rm) : > "$here/began"; read line < "$here/go" ;;
esac
)"));
    fs::permissions(script, fs::perms::owner_all);
    ASSERT_EQ(::mkfifo((runtime()->path() / "go").c_str(), 0600), 0);
    const auto* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): no other thread runs yet
    ::setenv("PATH", fmt::format("{}:{}", runtime()->path().string(), path == nullptr ? "/usr/bin:/bin" : path).c_str(),
             1);  // NOLINT(concurrency-mt-unsafe)
  }
  static void TearDownTestSuite() { runtime().reset(); }
  static std::unique_ptr<test::TempDir>& runtime() {
    static std::unique_ptr<test::TempDir> directory;
    return directory;
  }
};

TEST_F(ImageTask, the_agent_goes_on_while_a_container_is_removed) {
  request_.image = protocol::Image{"podman", "example/image"};
  const core::UniqueFd go(::open((runtime()->path() / "go").c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(go);
  launch({"train"});
  ASSERT_TRUE(comes_to_exist(runtime()->path() / "began"));
  EXPECT_FALSE(find<protocol::TaskExited>()) << "the agent did nothing else until the container was removed";
  ASSERT_TRUE(core::write_all(go.get(), "\n"));
  EXPECT_TRUE(end_of_task());
}

// It is how a job finds errors that are the same on every host.
TEST_F(AgentTask, the_last_line_of_its_log_is_reported_with_every_end) {
  launch({"sh", "-c", "echo step 1; echo 'ValueError: no data' >&2; exit 3"});
  auto exited = end_of_task();
  ASSERT_TRUE(exited);
  EXPECT_EQ(exited->status.code, 3);
  EXPECT_EQ(exited->status.last_line, "ValueError: no data");
}

TEST_F(AgentTask, the_last_line_is_known_also_of_a_task_that_was_stopped) {
  launch({"sh", "-c", "echo waiting; touch ready; exec sleep 600"});
  ASSERT_TRUE(comes_to_exist(dir_.path() / "work" / "ready"));
  task_->stop({task_->request().attempt, core::Millis(0)});
  const auto exited = end_of_task();
  ASSERT_TRUE(exited);
  EXPECT_EQ(exited->status.last_line, "waiting");
}

TEST_F(AgentTask, the_last_line_is_known_also_of_a_task_whose_reaper_was_killed) {
  launch({"sh", "-c", "echo waiting; touch ready; exec sleep 600"});
  ASSERT_TRUE(comes_to_exist(dir_.path() / "work" / "ready"));
  ::kill(task_->reaper_pid(), SIGKILL);
  const auto exited = end_of_task();
  ASSERT_TRUE(exited);
  EXPECT_EQ(exited->status.signal, SIGKILL);
  EXPECT_EQ(exited->status.last_line, "waiting");
}

}  // namespace
}  // namespace ydl::agent
