#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ydl::cli {

// A job as completion and messages name it.
struct JobName {
  std::string id;
  std::string state;
  bool is_running = false;
};

// The jobs that this machine knows, newest first. No cluster is asked: a key press must not wait for one.
[[nodiscard]] std::vector<JobName> job_names();

// The tasks of a job, "worker:0", and its roles; the first hundreds of a large one.
[[nodiscard]] std::vector<std::string> task_names(const std::string& job);

// For a command whose id is missing: "which job? `ydl kill ID` (running: mnist-a022, long-7c20)".
[[nodiscard]] std::string which_job(std::string_view command);

}  // namespace ydl::cli
