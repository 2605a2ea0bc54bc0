#pragma once

#include "job/types.hpp"
#include "protocol/commands.hpp"
#include "protocol/reports.hpp"

#include <map>

namespace ydl::master {

using TaskOutputs = std::map<core::TaskId, protocol::TaskOutput>;

// How much of the job is done, from 0 to 1: the mean of its deciding tasks. A task that succeeded counts as 1, any
// other as what its current attempt last reported, or 0. Pure.
[[nodiscard]] double job_progress(const job::Plan& plan, const job::Snapshot& snapshot, const TaskOutputs& outputs);

}  // namespace ydl::master
