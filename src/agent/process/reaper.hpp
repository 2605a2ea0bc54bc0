#pragma once

#include "agent/process/spawn.hpp"

#include <cstdint>
#include <sys/types.h>

// The process between the agent and one task. It exists so that nothing of a task survives: orphans of the task become
// its children, it knows when the agent is gone, and it does nothing else that could fail.
//
//   agent ──fork──> reaper ──vfork+exec──> task ──> whatever the task starts
//     └─── socket ────┘
//
//   launching ──exec──> running ──stop──> stopping ──grace over──> killing ──nobody left──> reports, exits
//       └─ failed: reports, exits └── task ended, or the agent is gone or silent ──┘
namespace ydl::agent {

// What goes over the socket, one value per packet. Both ends are the same program, so they are plain structs.
enum class ReportKind : std::int32_t { launched, launch_failed, ended };
struct ReaperReport {
  ReportKind kind = ReportKind::launched;
  std::int32_t pid = 0;               // launched
  SpawnFailure failure{};             // launch_failed
  std::int32_t wait_status = 0;       // ended, as wait() gives it
  std::int32_t leftovers = 0;         // ended: processes killed besides the main one
  std::int32_t survivors = 0;         // ended: processes that could not be killed
  std::int32_t agent_was_silent = 0;  // ended: 1 if the task was killed for that
  std::uint64_t peak_rss = 0;         // ended: bytes, of the largest process
};
// stop: end the task: SIGTERM now, SIGKILL after the grace. beat: the agent runs. Closing the socket means: kill
// everything now.
enum class CommandKind : std::int32_t { stop, beat };
struct ReaperCommand {
  CommandKind kind = CommandKind::beat;
  std::int64_t grace_ms = 0;
};

// Turns this freshly forked process into the reaper of `plan`'s task. All signals must be blocked since before the
// fork. `control` is the reaper's end of the socket, `agent` its parent.
[[noreturn]] void run_reaper(SpawnPlan& plan, int control, pid_t agent);

}  // namespace ydl::agent
