#pragma once

#include "core/enum_names.hpp"

namespace ydl::core {

// What a role's end means for the job.
enum class RoleKind {
  decider,    // chief, worker: all must succeed; the first that fails for good fails the job
  service,    // ps, server: needed while the deciders run, stopped when they are done
  side,       // tensorboard: like a service, but its failure is only reported
  evaluator,  // gets a bounded time after the deciders for its last evaluation; failure is only reported
};
template <>
struct EnumNames<RoleKind> {
  static constexpr auto kNames = names_up_to(RoleKind::evaluator, "decider", "service", "side", "evaluator");
};

// What has to start again when one task of a role fails and has retries left.
enum class RestartUnit {
  task,           // the failed task alone, on any host: its peers can take it back
  task_in_place,  // the failed task alone, at its address: its peers call no other. All tasks if that is impossible
  gang,           // every task of the job: peers of collective operations cannot go on without it
};

}  // namespace ydl::core
