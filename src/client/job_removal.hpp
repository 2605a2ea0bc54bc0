#pragma once

#include "core/cluster_kind.hpp"
#include "core/result.hpp"
#include "jobs/job_folder.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Deletion of jobs by their owner, with everything that ydl keeps of them.
namespace ydl::client {

// A running job that continues from the checkpoints of another job, and may read them again.
struct RestoreUse {
  std::string job;
  jobs::RestoreFolders reads;
};
// How it is found out whether a job runs whose records do not tell its end.
enum class RunCheck {
  ask_cluster,
  assume_it_runs,  // takes no time
};
// Of the jobs of this machine.
[[nodiscard]] std::vector<RestoreUse> restores_in_use(const std::filesystem::path& jobs, RunCheck check);

// Without symbolic links and "..", as far as the path exists: the same folder may be reached by several names.
[[nodiscard]] std::filesystem::path resolved_path(const std::filesystem::path& path);
// Whether a path is `folder` or leads below it, whatever names it is reached by.
[[nodiscard]] bool is_path_below(const std::filesystem::path& path, const std::filesystem::path& folder);

// A job that may be deleted, and what is deleted with it.
struct RemovableJob {
  jobs::JobFolder folder;
  core::ClusterKind cluster = core::ClusterKind::local;
  std::int64_t files = 0;
  std::uint64_t bytes = 0;
  bool has_results = false;  // among these files
  std::string kept_results;  // a folder outside the job's own, which is not deleted; empty: there is none
};

// Looks only. Errors: refused (the job runs or may run, belongs to another user, or is in use by another job);
// those of the files of the job, and of its cluster.
[[nodiscard]] core::Result<RemovableJob> check_removable(const jobs::JobFolder& folder,
                                                         const std::vector<RestoreUse>& uses);

// Deletes the folder on HDFS, where there is one, and then the one of this machine. Errors: io; the cluster's.
[[nodiscard]] core::Result<> remove_job(const RemovableJob& job);

}  // namespace ydl::client
