#pragma once

#include "agent/process/launch_request.hpp"

#include <cstdint>
#include <expected>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ydl::agent {

// Where a launch can fail; together with errno it tells why.
enum class SpawnStage : std::int32_t {
  process,            // no reaper or task process could be made
  null_device,        // /dev/null
  cgroup,             // entering cgroups[index]
  limit,              // setting limits[index]
  working_directory,  // changing to it
  stdout_file,
  stderr_file,
  interpreter,  // the script's first line names a program that is not there; index says which candidate
  exec,         // index says which candidate
};

struct SpawnFailure {
  SpawnStage stage = SpawnStage::process;
  std::int32_t error = 0;  // errno
  std::int32_t index = 0;
};

// A request laid out as the C arrays that exec takes, made before any fork so that nothing is allocated after it.
// Points into the request, which must outlive it unchanged. Made in the agent: its process group is remembered.
class SpawnPlan {
 public:
  explicit SpawnPlan(const LaunchRequest& request);
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  // Starts the task as a child of this process; returns once the task's program runs, or why it does not. The
  // caller's signal dispositions must be the default ones.
  [[nodiscard]] std::expected<pid_t, SpawnFailure> spawn();

  [[nodiscard]] const LaunchRequest& request() const { return request_; }
  // exec would succeed for a script whose first line is "#!/usr/bin/env pythn", and the task end with code 127.
  [[nodiscard]] bool lacks_interpreter() const { return lacks_interpreter_; }

 private:
  [[noreturn]] void become_task(pid_t parent, int failures);
  [[nodiscard]] SpawnFailure exec_first_candidate();

  const LaunchRequest& request_;
  pid_t group_;  // the agent's
  std::vector<std::string> candidates_;
  bool lacks_interpreter_;
  std::string environment_;  // one block: fewer pages that both sides of the fork write to
  std::vector<std::string> cgroup_files_;
  std::vector<const char*> argv_;
  std::vector<const char*> shell_argv_;  // for a script without a first line that names its interpreter
  std::vector<const char*> envp_;
};

}  // namespace ydl::agent
