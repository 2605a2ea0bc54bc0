#pragma once

#include "core/ids.hpp"
#include "jobs/job_folder.hpp"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::client {

struct LogFilter {
  std::string task;    // "worker:0", or a role for all of its tasks, or empty for all of the job
  std::string stream;  // "stdout", "stderr", or empty for both
  int attempt = 0;     // 0: all
};

// Whether `wanted`, as LogFilter::task has it, names this task.
[[nodiscard]] bool names_task(std::string_view wanted, const core::TaskId& task);

// The task whose logs are in a folder of this name, "worker-0"; nothing for master.log and the like.
[[nodiscard]] std::optional<core::TaskId> task_of_folder(std::string_view name);

struct LogFile {
  core::TaskId task;
  int attempt = 1;
  std::string stream;
  std::filesystem::path path;
};

struct LogFiles {
  std::vector<LogFile> files;
  std::set<int> attempts;  // of which there are logs, whatever the filter says of attempts
};

// The logs of a job's tasks that may be there. A file that the task has not made yet is among them.
[[nodiscard]] LogFiles find_logs(const jobs::JobFolder& folder, const LogFilter& filter);

}  // namespace ydl::client
