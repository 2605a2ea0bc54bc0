#include "client/local_retention.hpp"

#include "client/job_removal.hpp"
#include "jobs/folder_deletion.hpp"
#include "jobs/job_folder.hpp"
#include "jobs/master_trace.hpp"

#include <algorithm>
#include <sys/stat.h>
#include <vector>

namespace ydl::client {
namespace {

namespace fs = std::filesystem;
using jobs::JobFolder;
using jobs::MasterTrace;

// Costs one system call: of most folders it says that they are too new.
bool is_unchanged_since(const JobFolder& folder, core::WallTime limit) {
  struct stat found{};
  return ::stat(folder.state_file().c_str(), &found) == 0 &&
         core::WallTime(core::Seconds(found.st_mtim.tv_sec)) <= limit;
}

bool has_ended_before(const JobFolder& folder, core::WallTime limit) {
  if (!is_unchanged_since(folder, limit)) return false;
  const auto state = jobs::read_state_file(folder);
  if (!state) return false;
  const auto trace = jobs::trace_of_master(folder);
  if (!is_final(state->state)) return trace == MasterTrace::gone;  // a lost job
  return trace != MasterTrace::lives && state->finished && *state->finished <= limit;
}

bool is_used(const JobFolder& folder, const std::vector<RestoreUse>& uses) {
  return std::ranges::any_of(uses,
                             [&](const RestoreUse& use) { return is_path_below(use.reads.results, folder.root()); });
}

}  // namespace

int remove_old_jobs_here(const fs::path& jobs, std::optional<core::Millis> keep, TidyLimits limits) {
  const auto end = core::steady_now() + limits.time;
  const auto has_time = [&] { return core::steady_now() < end; };
  for (const auto& left : jobs::list_hidden_folders(jobs)) {
    if (!has_time()) return 0;
    (void)jobs::delete_tree(left, has_time);  // what cannot be deleted stays hidden
  }
  if (!keep) return 0;
  const auto limit = core::wall_now() - *keep;
  int removed = 0;
  std::optional<std::vector<RestoreUse>> uses;
  for (const auto& folder : jobs::list_job_folders(jobs)) {
    if (removed == limits.jobs || !has_time()) break;
    if (!has_ended_before(folder, limit)) continue;
    if (!uses) uses = restores_in_use(jobs, RunCheck::assume_it_runs);
    if (is_used(folder, *uses)) continue;
    const auto hidden = jobs::hide_job_folder(folder);
    if (!hidden) continue;  // another launch was faster, or the folder cannot be changed: `ydl rm` says why
    ++removed;
    (void)jobs::delete_tree(*hidden, has_time);
  }
  return removed;
}

}  // namespace ydl::client
