#pragma once

#include "core/ids.hpp"
#include "jobs/job_folder.hpp"
#include "master/plan.hpp"
#include "protocol/commands.hpp"

#include <vector>

// The folders that an attempt of a task continues from: docs/checkpoints.md. Pure.
namespace ydl::master {

// The task's own folders, then those of the job's first deciding task, which writes for all: the chief, if there is
// one.
[[nodiscard]] std::vector<core::TaskId> tasks_to_continue(const JobPlan& plan, const core::TaskId& task);

// The same for a job that has already run. In an elastic role whose tasks restart together, the task that wrote for all
// at the last save comes first. After a restart any task may have its rank.
[[nodiscard]] std::vector<core::TaskId> tasks_to_continue(const JobPlan& plan, const core::TaskId& task,
                                                          const job::Snapshot& snapshot);

// The folders of these tasks in another job.
[[nodiscard]] std::vector<protocol::Restorable> folders_of(const jobs::RestoreFolders& job,
                                                           const std::vector<core::TaskId>& tasks);

}  // namespace ydl::master
