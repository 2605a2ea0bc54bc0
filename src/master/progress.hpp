#pragma once

#include "job/types.hpp"
#include "master/task_meter.hpp"
#include "protocol/commands.hpp"
#include "protocol/reports.hpp"

#include <map>
#include <optional>

namespace ydl::master {

using TaskOutputs = std::map<core::TaskId, protocol::TaskOutput>;

// The progress of the job from 0 to 1: the mean of its deciding tasks. A task that succeeded counts as 1, any other as
// the last report of its current attempt, or as 0. Pure.
[[nodiscard]] double job_progress(const job::Plan& plan, const job::Snapshot& snapshot, const TaskOutputs& outputs);

// The progress of the job for a user who waits for it: that of the deciding task with the most work left. Tasks without
// reports do not count, because often only one task reports progress.
struct JobEstimate {
  std::optional<double> progress = {};    // of the running task with the least progress
  std::optional<core::Millis> left = {};  // nothing if a deciding task is not running
};
[[nodiscard]] JobEstimate estimate_job(const job::Plan& plan, const job::Snapshot& snapshot, const TaskOutputs& outputs,
                                       const TaskMeters& meters, core::Instant now);

}  // namespace ydl::master
