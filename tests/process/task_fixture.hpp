#pragma once

#include "agent/process/proc_tree.hpp"
#include "agent/process/task_process.hpp"
#include "agent/process/tree_killer.hpp"
#include "support/process_probe.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ydl::agent {

// A directory, a roll call, and launches into them. No test may leave a process behind.
class TaskTest : public testing::Test {
 protected:
  TaskTest() { adopt_orphans(); }
  void TearDown() override {
    EXPECT_EQ(descendants_of(::getpid(), list_processes()).size(), 0U) << "processes are left";
    kill_leftovers({});
  }

  [[nodiscard]] LaunchRequest request(std::vector<std::string> argv) const {
    LaunchRequest made;
    made.argv = std::move(argv);
    made.environment = {{"PATH", "/usr/bin:/bin"}, {"ASAN_OPTIONS", "detect_leaks=0"}};
    made.working_directory = dir_.path();
    made.stdout_file = dir_.path() / "stdout";
    made.stderr_file = dir_.path() / "stderr";
    return made;
  }
  [[nodiscard]] LaunchRequest unruly(const std::string& mode) const {
    return request({YDL_UNRULY, mode, roll_.path()});
  }

  // The next event of `task`, which must come in time.
  template <class Event>
  static std::optional<Event> expect(TaskProcess& task) {
    for (;;) {
      if (auto event = task.read_event()) {
        if (auto* wanted = std::get_if<Event>(&*event)) return std::move(*wanted);
        if (const auto* failed = std::get_if<LaunchFailed>(&*event)) ADD_FAILURE() << failed->error.message;
        ADD_FAILURE() << "another event came: number " << event->index();
        return std::nullopt;
      }
      if (task.finished() || !test::wait_readable(task.fd())) {
        ADD_FAILURE() << "no event came";
        return std::nullopt;
      }
    }
  }
  // The sentence with which launching `wanted` fails.
  static std::string failure_of(LaunchRequest wanted) {
    auto task = TaskProcess::launch(std::move(wanted));
    if (!task) return task.error().message;
    const auto failed = expect<LaunchFailed>(*task);
    return failed ? failed->error.message : "";
  }
  static TaskProcess launched(LaunchRequest wanted) {
    auto task = TaskProcess::launch(std::move(wanted));
    EXPECT_TRUE(task) << task.error().message;
    EXPECT_TRUE(expect<Launched>(*task));
    return std::move(*task);
  }
  [[nodiscard]] std::string output() const { return core::read_file(dir_.path() / "stdout").value_or("no file"); }

  test::TempDir dir_;
  mutable test::RollCall roll_{dir_.path() / "roll"};
};

}  // namespace ydl::agent
