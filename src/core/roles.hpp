#pragma once

#include "core/enum_names.hpp"

namespace ydl::core {

// How the end of a task affects the job.
enum class RoleKind {
  decider,    // chief, worker: all must succeed; the job fails when one fails and has no retries left
  service,    // ps, server: runs as long as the deciders run, then it is stopped
  side,       // tensorboard: like a service, but its failure is only reported
  evaluator,  // may run for a limited time after the deciders, for its last evaluation; its failure is only reported
};
template <>
struct EnumNames<RoleKind> {
  static constexpr auto kNames = names_up_to(RoleKind::evaluator, "decider", "service", "side", "evaluator");
};

// What is restarted when a task fails and has retries left.
enum class RestartUnit {
  task,  // only the failed task, on any host: its peers can connect to it again
  // only the failed task, at the same address, which is the only one its peers use; all tasks if that is impossible
  task_in_place,
  gang,  // every task of the job: collective operations cannot continue without one peer
};

}  // namespace ydl::core
