#pragma once

#include "core/ids.hpp"
#include "jobs/job_folder.hpp"
#include "master/plan.hpp"
#include "protocol/commands.hpp"

#include <vector>

// What an attempt of a task continues from: docs/checkpoints.md. Pure.
namespace ydl::master {

// The task itself, then the job's first deciding task, which writes for all: the chief where there is one.
[[nodiscard]] std::vector<core::TaskId> tasks_to_continue(const JobPlan& plan, const core::TaskId& task);

// The same where the job has run: in an elastic role whose tasks start again together, the task comes first that wrote
// for all when something was last saved. Its successor has its rank, and any task may be that.
[[nodiscard]] std::vector<core::TaskId> tasks_to_continue(const JobPlan& plan, const core::TaskId& task,
                                                          const job::Snapshot& snapshot);

// Their folders in another job.
[[nodiscard]] std::vector<protocol::Restorable> folders_of(const jobs::RestoreFolders& job,
                                                           const std::vector<core::TaskId>& tasks);

}  // namespace ydl::master
