#pragma once

#include "job/types.hpp"
#include "master/task_meter.hpp"
#include "protocol/commands.hpp"
#include "protocol/reports.hpp"

#include <map>
#include <optional>

namespace ydl::master {

using TaskOutputs = std::map<core::TaskId, protocol::TaskOutput>;

// How much of the job is done, from 0 to 1: the mean of its deciding tasks. A task that succeeded counts as 1, any
// other as what its current attempt last reported, or 0. Pure.
[[nodiscard]] double job_progress(const job::Plan& plan, const job::Snapshot& snapshot, const TaskOutputs& outputs);

// How far the job is for a person who waits for it: the deciding task that has most to do says so. Tasks that report no
// progress do not count, as often only one of them does.
struct JobEstimate {
  std::optional<double> progress = {};    // of the running task that has done least
  std::optional<core::Millis> left = {};  // nothing as long as a deciding task is not running
};
[[nodiscard]] JobEstimate estimate_job(const job::Plan& plan, const job::Snapshot& snapshot, const TaskOutputs& outputs,
                                       const TaskMeters& meters, core::Instant now);

}  // namespace ydl::master
