#pragma once

#include "core/cluster_kind.hpp"
#include "core/ids.hpp"
#include "master/plan.hpp"
#include "protocol/commands.hpp"

namespace ydl::master {

// Which GPUs of its host a task sees that requests none. If no role of a job on this machine requests GPUs, its tasks
// see all of them, as the command would without ydl. On a cluster GPUs may belong to another job, so they are hidden,
// and the first task reports this to the user if the framework could use GPUs.
[[nodiscard]] protocol::HostGpus host_gpus(const JobPlan& plan, core::ClusterKind cluster,
                                           const core::AttemptId& attempt);

}  // namespace ydl::master
