#pragma once

#include "agent/process/spawn.hpp"

#include <cstdint>
#include <sys/types.h>

// The process between the agent and one task. It ensures that no process of a task survives: orphans of the task become
// children of the reaper, and the reaper notices when the agent has ended. It does nothing else that could fail.
//
//   agent ──fork──> reaper ──vfork+exec──> task ──> whatever the task starts
//     └─── socket ────┘
//
//   launching ──exec──> running ──stop──> stopping ──grace over──> killing ──no process left──> reports, exits
//       └─ failed: reports, exits └── task ended, or the agent has ended or is silent ──┘
namespace ydl::agent {

// The packets on the socket, one value each. Both ends are the same program, so plain structs can be sent.
enum class ReportKind : std::int32_t { launched, launch_failed, ended };
struct ReaperReport {
  ReportKind kind = ReportKind::launched;
  std::int32_t pid = 0;               // launched
  SpawnFailure failure{};             // launch_failed
  std::int32_t wait_status = 0;       // ended, as wait() gives it
  std::int32_t leftovers = 0;         // ended: processes killed besides the main one
  std::int32_t survivors = 0;         // ended: processes that could not be killed
  std::int32_t agent_was_silent = 0;  // ended: 1 if the reaper killed the task for that
  std::uint64_t peak_rss = 0;         // ended: bytes, of the largest process
};
// stop: send SIGTERM now and SIGKILL after the grace. beat: the agent runs. A closed socket means: kill everything now.
enum class CommandKind : std::int32_t { stop, beat };
struct ReaperCommand {
  CommandKind kind = CommandKind::beat;
  std::int64_t grace_ms = 0;
};

// Turns this newly forked process into the reaper of the task in `plan`. All signals must have been blocked before the
// fork. `control` is the reaper's end of the socket, `agent` its parent.
[[noreturn]] void run_reaper(SpawnPlan& plan, int control, pid_t agent);

}  // namespace ydl::agent
