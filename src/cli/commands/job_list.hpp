#pragma once

#include "core/cluster_kind.hpp"
#include "core/error.hpp"
#include "jobs/job_summary.hpp"

#include <filesystem>
#include <optional>
#include <vector>

// The jobs of this user, for the commands that are about many of them.
namespace ydl::cli {

// Nothing: as the configuration says.
using WantedCluster = std::optional<core::Named<core::ClusterKind>>;

struct JobList {
  std::vector<jobs::JobSummary> jobs;  // the newest first
  std::optional<core::Error> missing;  // why jobs of the cluster, or their states, may be missing
};

// The jobs of this machine and those that the cluster lists.
[[nodiscard]] JobList list_jobs(const std::filesystem::path& root, const WantedCluster& wanted);

}  // namespace ydl::cli
