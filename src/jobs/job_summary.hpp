#pragma once

#include "core/clock.hpp"
#include "core/cluster_kind.hpp"
#include "core/ids.hpp"
#include "core/job_states.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ydl::jobs {

// One line of `ydl ls`. Only a part of the job's files is read, so that a list of hundreds of jobs is fast.
struct JobSummary {
  core::JobId id;
  std::string name;
  std::string framework;
  std::optional<core::ClusterKind> cluster;  // nothing if it cannot be read
  std::optional<core::JobState> state;       // nothing if it cannot be read; for a cluster it may be out of date
  std::string reason;
  int tasks = 0;
  std::optional<core::WallTime> created;
  std::optional<core::WallTime> finished;
  std::optional<core::WallTime> last_seen = {};  // of a lost job: when its state was last written
};

// When a job ended, or for a lost job the last time at which its master is known to have lived. Nothing: it goes on, or
// that is not known.
[[nodiscard]] std::optional<core::WallTime> ended_at(const JobSummary& job);

// All jobs, the newest first. A folder that cannot be read is one unreadable job, never the end of the list. Of lost
// jobs the files that their masters were writing are removed.
[[nodiscard]] std::vector<JobSummary> summarise_jobs(const std::filesystem::path& jobs);

}  // namespace ydl::jobs
