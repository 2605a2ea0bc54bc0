#pragma once

#include "core/clock.hpp"
#include "core/ids.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ydl::jobs {

// One line of `ydl ls`: read without looking into the whole job, so that hundreds cost little.
struct JobSummary {
  core::JobId id;
  std::string name;
  std::string framework;
  std::string cluster;  // "local", "yarn": there only the cluster knows whether the job still runs
  std::string state;    // of job::JobState; "lost" when its master died; "unreadable"
  std::string reason;
  int tasks = 0;
  std::optional<core::WallTime> created;
  std::optional<core::WallTime> finished;
};

// All jobs, the newest first. A folder that cannot be read is one unreadable job, never the end of the list.
[[nodiscard]] std::vector<JobSummary> summarise_jobs(const std::filesystem::path& jobs);

}  // namespace ydl::jobs
