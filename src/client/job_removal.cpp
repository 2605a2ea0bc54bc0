#include "client/job_removal.hpp"

#include "client/local/local_removal.hpp"
#include "client/yarn/cluster_removal.hpp"
#include "client/yarn/remote_job.hpp"
#include "jobs/master_trace.hpp"

#include <algorithm>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::client {
namespace {

namespace fs = std::filesystem;
using core::fail;
using core::Result;
using jobs::MasterTrace;

Result<> check_owner(const jobs::JobFolder& folder) {
  struct stat found{};
  if (::lstat(folder.root().c_str(), &found) != 0)
    return fail(core::system_error(errno, fmt::format("cannot look at {}", folder.root().string())));
  if (found.st_uid == ::geteuid()) return {};
  return fail(core::Errc::refused, fmt::format("job {} belongs to another user (uid {}): only that user can delete it",
                                               folder.id().str(), found.st_uid));
}

}  // namespace

fs::path resolved_path(const fs::path& path) {
  std::error_code error;
  auto resolved = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal() : resolved;
}

bool is_path_below(const fs::path& path, const fs::path& folder) {
  const auto whole = resolved_path(path);
  const auto start = resolved_path(folder);
  return std::mismatch(start.begin(), start.end(), whole.begin(), whole.end()).first == start.end();
}

std::vector<RestoreUse> restores_in_use(const fs::path& jobs, RunCheck check) {
  std::vector<RestoreUse> uses;
  for (const auto& folder : jobs::list_job_folders(jobs)) {
    const auto state = jobs::read_state_file(folder);
    if (!state || is_final(state->state)) continue;
    const auto job = jobs::read_job_file(folder);
    if (!job || !job->restore || jobs::trace_of_master(folder) == MasterTrace::gone) continue;
    if (check == RunCheck::assume_it_runs || is_running(folder).value_or(true))
      uses.push_back({job->id.str(), *job->restore});
  }
  return uses;
}

Result<RemovableJob> check_removable(const jobs::JobFolder& folder, const std::vector<RestoreUse>& uses) {
  if (auto own = check_owner(folder); !own) return fail(own.error());
  std::error_code error;
  return fs::exists(folder.yarn_file(), error) ? check_removable_there(folder, uses)
                                               : check_removable_here(folder, uses);
}

Result<> remove_job(const RemovableJob& job) {
  if (job.cluster == core::ClusterKind::yarn) {
    if (auto removed = remove_folder_there(job.folder); !removed) return removed;
  }
  return remove_folder_here(job.folder);
}

}  // namespace ydl::client
