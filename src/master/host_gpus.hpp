#pragma once

#include "core/cluster_kind.hpp"
#include "core/ids.hpp"
#include "master/plan.hpp"
#include "protocol/commands.hpp"

namespace ydl::master {

// What a task that asks for no GPUs sees of its host's. A job on this machine none of whose roles asks for GPUs uses
// them as its command would without ydl. On a cluster they may be another job's, so they are hidden, and the first task
// tells the user so where the framework could use them.
[[nodiscard]] protocol::HostGpus host_gpus(const JobPlan& plan, core::ClusterKind cluster,
                                           const core::AttemptId& attempt);

}  // namespace ydl::master
