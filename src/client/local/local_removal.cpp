#include "client/local/local_removal.hpp"

#include "client/removal_rules.hpp"
#include "jobs/folder_deletion.hpp"
#include "jobs/master_trace.hpp"

namespace ydl::client {
namespace {

using core::fail;
using core::Result;
using jobs::MasterTrace;

Result<> check_ended_here(const jobs::JobFolder& folder, const jobs::FolderContent& content) {
  const auto id = folder.id().str();
  const auto trace = jobs::trace_of_master(folder);
  if (trace == MasterTrace::lives) return fail(still_runs(id));
  const auto state = jobs::read_state_file(folder);
  if (trace == MasterTrace::gone || (state && is_final(state->state))) return {};
  return check_is_settled(id, content);
}

}  // namespace

Result<RemovableJob> check_removable_here(const jobs::JobFolder& folder, const std::vector<RestoreUse>& uses) {
  const auto content = jobs::measure_folder(folder.root());
  if (auto ended = check_ended_here(folder, content); !ended) return fail(ended.error());
  RemovableJob removable{.folder = folder, .files = content.files, .bytes = content.bytes, .kept_results = {}};
  const auto job = jobs::read_job_file(folder);
  if (!job) return removable;
  if (!is_path_below(job->results, folder.root())) {
    removable.kept_results = job->results.string();
    return removable;
  }
  if (auto unused = check_unused(folder.id().str(), {"", resolved_path(job->results).string()}, uses); !unused)
    return fail(unused.error());
  removable.has_results = jobs::measure_folder(job->results).files > 0;
  return removable;
}

Result<> remove_folder_here(const jobs::JobFolder& folder) {
  const auto hidden = jobs::hide_job_folder(folder);
  if (!hidden) return fail(hidden.error());
  const auto deleted = jobs::delete_tree(*hidden);
  if (!deleted) return fail(deleted.error());
  return {};
}

}  // namespace ydl::client
