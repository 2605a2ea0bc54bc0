#pragma once

#include "agent/process/launch_request.hpp"

#include <cstdint>
#include <expected>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ydl::agent {

// The step at which a launch failed.
enum class SpawnStage : std::int32_t {
  process,            // forking the reaper or the task
  null_device,        // /dev/null
  cgroup,             // entering cgroups[index]
  limit,              // setting limits[index]
  working_directory,  // changing to the working directory
  stdout_file,
  stderr_file,
  interpreter,  // the first line of the script names a missing program; `index` is that of the candidate
  exec,         // `index` is that of the candidate
};

struct SpawnFailure {
  SpawnStage stage = SpawnStage::process;
  std::int32_t error = 0;  // errno
  std::int32_t index = 0;
};

// A request as the C arrays that exec needs. It is built before the fork, so that no memory is allocated after it. It
// points into the request, which must outlive it unchanged. Build it in the agent, whose process group it stores.
class SpawnPlan {
 public:
  explicit SpawnPlan(const LaunchRequest& request);
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  // Starts the task as a child of this process. Returns when the task's program runs, or with the failure. The signal
  // dispositions of the caller must be the defaults.
  [[nodiscard]] std::expected<pid_t, SpawnFailure> spawn();

  [[nodiscard]] const LaunchRequest& request() const { return request_; }
  // For a script with the first line "#!/usr/bin/env pythn" exec would succeed, and the task would end with code 127.
  [[nodiscard]] bool lacks_interpreter() const { return lacks_interpreter_; }

 private:
  [[noreturn]] void become_task(pid_t parent, int failures);
  [[nodiscard]] SpawnFailure exec_first_candidate();

  const LaunchRequest& request_;
  pid_t group_;  // of the agent
  std::vector<std::string> candidates_;
  bool lacks_interpreter_;
  std::string environment_;  // one block, so that fewer pages are written on both sides of the fork
  std::vector<std::string> cgroup_files_;
  std::vector<const char*> argv_;
  std::vector<const char*> shell_argv_;  // for a script whose first line names no interpreter
  std::vector<const char*> envp_;
};

}  // namespace ydl::agent
