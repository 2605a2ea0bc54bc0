#include "client/job_removal.hpp"

#include "backend/yarn/remote_files.hpp"
#include "backend/yarn/yarn_job.hpp"
#include "client/yarn/cluster_client.hpp"
#include "client/yarn/remote_job.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "core/strings.hpp"
#include "hdfs/paths.hpp"
#include "hrpc/errors.hpp"
#include "jobs/folder_deletion.hpp"
#include "jobs/master_trace.hpp"
#include "net/wait_for.hpp"

#include <algorithm>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::client {
namespace {

namespace fs = std::filesystem;
using core::fail;
using core::Result;
using jobs::MasterTrace;

// A job about which nothing tells whether its master still runs must not have changed for this time.
constexpr core::Millis kSurelyOver = std::chrono::hours(24);

core::Error runs(const std::string& id) {
  return {core::Errc::refused, fmt::format("job {0} is running: stop it with `ydl kill {0}` before you delete it", id)};
}

// Only the time of the last change tells about a job whose master never took the lock, or took it on another machine or
// before this one was restarted.
Result<> check_is_settled(const std::string& id, const jobs::FolderContent& content) {
  if (content.changed && *content.changed <= core::wall_now() - kSurelyOver) return {};
  return fail(core::Errc::refused,
              fmt::format("job {} may be starting, or may run on another machine that shares its folder: it can be "
                          "deleted one day after its last change",
                          id));
}

Result<> check_owner(const jobs::JobFolder& folder) {
  struct stat found{};
  if (::lstat(folder.root().c_str(), &found) != 0)
    return fail(core::system_error(errno, fmt::format("cannot look at {}", folder.root().string())));
  if (found.st_uid == ::geteuid()) return {};
  return fail(core::Errc::refused, fmt::format("job {} belongs to another user (uid {}): only that user can delete it",
                                               folder.id().str(), found.st_uid));
}

// `own`: the folders that would be deleted, as jobs that continue from them name them; empty: stays.
Result<> check_unused(const std::string& id, const jobs::RestoreFolders& own, const std::vector<RestoreUse>& uses) {
  for (const auto& use : uses) {
    const bool reads_saves = !own.saves.empty() && use.reads.saves == own.saves;
    const bool reads_results =
        !own.results.empty() && (use.reads.results == own.results || resolved_path(use.reads.results) == own.results);
    if (use.job == id || (!reads_saves && !reads_results)) continue;
    return fail(core::Errc::refused,
                fmt::format("job {0} is in use: {1}, which is running, continues from its checkpoints (--restore-from)",
                            id, use.job));
  }
  return {};
}

Result<> check_ended_here(const jobs::JobFolder& folder, const jobs::FolderContent& content) {
  const auto id = folder.id().str();
  const auto trace = jobs::trace_of_master(folder);
  if (trace == MasterTrace::lives) return fail(runs(id));
  const auto state = jobs::read_state_file(folder);
  if (trace == MasterTrace::gone || (state && is_final(state->state))) return {};
  return check_is_settled(id, content);
}

Result<RemovableJob> check_here(const jobs::JobFolder& folder, const std::optional<jobs::JobFile>& job,
                                const std::vector<RestoreUse>& uses) {
  const auto content = jobs::measure_folder(folder.root());
  if (auto ended = check_ended_here(folder, content); !ended) return fail(ended.error());
  RemovableJob removable{.folder = folder, .files = content.files, .bytes = content.bytes, .kept_results = {}};
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

// Jobs of this user that run on the cluster and were submitted from another machine.
net::Async<std::vector<RestoreUse>> restores_there(ClusterClient& cluster) {
  const auto reports = co_await cluster.rm->applications({.types = {"YDL"}, .users = {cluster.user}});
  if (!reports) co_return fail(reports.error());
  std::vector<RestoreUse> uses;
  for (const auto& report : *reports) {
    const auto id = job_id_of(report.tags);
    if (!id || yarn::is_over(report.state)) continue;
    const auto text =
        co_await backend::read_remote_file(*cluster.fs, hdfs::join_path(cluster.job_folder(*id), "job.json"));
    if (!text) continue;  // it has no folder yet, or none any more
    const auto file = core::parse_json_object(*text);
    const auto* restore = file ? file->if_contains("restore") : nullptr;
    if (restore == nullptr || !restore->is_object()) continue;
    const auto text_of = [&](const char* key) {
      const auto* value = restore->get_object().if_contains(key);
      return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
    };
    uses.push_back({*id, {text_of("saves"), text_of("results")}});
  }
  co_return uses;
}

net::Async<> check_ended_there(ClusterClient& cluster, const jobs::JobFolder& folder, const backend::YarnJob& job,
                               const jobs::FolderContent& content) {
  const auto id = folder.id().str();
  if (jobs::trace_of_master(folder) == MasterTrace::lives) co_return fail(runs(id));
  const auto application = yarn::ApplicationId::parse(job.application);
  if (!application) co_return check_is_settled(id, content);
  const auto report = co_await cluster.rm->report(*application);
  if (report && !yarn::is_over(report->state)) co_return fail(runs(id));
  if (report) co_return Result<>{};
  if (report.error().code != hrpc::Errc::not_found)
    co_return fail(report.error().within(fmt::format("it is not known whether job {} still runs", id)));
  const auto state = jobs::read_state_file(folder);
  if (state && is_final(state->state)) co_return Result<>{};
  co_return check_is_settled(id, content);
}

net::Async<RemovableJob> check_there(ClusterClient& cluster, const jobs::JobFolder& folder, const backend::YarnJob& job,
                                     const std::vector<RestoreUse>& uses) {
  const auto id = folder.id().str();
  if (job.user != cluster.user) {
    co_return fail(core::Errc::refused, fmt::format("job {0} belongs to {1}: only {1} can delete it, and you are {2}",
                                                    id, core::printable(job.user), cluster.user));
  }
  if (job.folder != cluster.job_folder(id)) {
    co_return fail(core::Errc::refused,
                   fmt::format("{} names {} as the folder of the job, which is not where ydl keeps jobs ({})",
                               folder.yarn_file().string(), job.folder, cluster.job_folder(id)));
  }
  const auto content = jobs::measure_folder(folder.root());
  if (auto ended = co_await check_ended_there(cluster, folder, job, content); !ended) co_return fail(ended.error());
  const auto default_results = job.folder + "/results";
  const bool has_own_results = job.results == default_results || job.results == cluster.url_prefix + default_results;
  const jobs::RestoreFolders own{job.folder + "/saves", has_own_results ? job.results : ""};
  const auto elsewhere = co_await restores_there(cluster);
  if (!elsewhere) co_return fail(elsewhere.error());
  for (const auto& list : {uses, *elsewhere}) {
    if (auto unused = check_unused(id, own, list); !unused) co_return fail(unused.error());
  }
  RemovableJob removable{.folder = folder,
                         .cluster = core::ClusterKind::yarn,
                         .files = content.files,
                         .bytes = content.bytes,
                         .kept_results = {}};
  if (const auto there = co_await cluster.fs->content_summary(job.folder)) {
    removable.files += static_cast<std::int64_t>(there->files);
    removable.bytes += there->length;
  } else if (there.error().code != hrpc::Errc::not_found) {
    co_return fail(there.error());
  }
  if (!has_own_results) {
    removable.kept_results = job.results;
  } else if (const auto results = co_await cluster.fs->content_summary(default_results)) {
    removable.has_results = results->files > 0;
  }
  co_return removable;
}

net::Async<> remove_there(ClusterClient& cluster, std::string id) {
  const auto hidden = cluster.job_folder(fmt::format(".deleted-{}-{}", id, core::random_hex(4)));
  const auto renamed = co_await cluster.fs->rename(cluster.job_folder(id), hidden, hdfs::Overwrite::no);
  if (!renamed && renamed.error().code == hrpc::Errc::not_found) co_return Result<>{};
  if (!renamed) co_return fail(renamed.error());
  const auto removed = co_await cluster.fs->remove(hidden, hdfs::Recursive::yes);
  if (!removed) co_return fail(removed.error());
  co_return Result<>{};
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
  if (!fs::exists(folder.yarn_file(), error)) {
    const auto job = jobs::read_job_file(folder);
    return check_here(folder, job ? std::optional(*job) : std::nullopt, uses);
  }
  const auto text = core::read_file(folder.yarn_file());
  const auto job = text ? backend::yarn_job_from_json(*text) : fail(text.error());
  if (!job) return fail(job.error().within(folder.yarn_file().string()));
  const auto hadoop = hadoop_of(folder);
  if (!hadoop) return fail(hadoop.error());
  net::asio::io_context context(1);
  auto cluster = open_cluster(context.get_executor(), *hadoop);
  if (!cluster) return fail(cluster.error());
  auto removable = net::wait_for(context, check_there(*cluster, folder, *job, uses));
  cluster->close();
  return removable;
}

Result<> remove_job(const RemovableJob& job) {
  if (job.cluster == core::ClusterKind::yarn) {
    const auto hadoop = hadoop_of(job.folder);
    if (!hadoop) return fail(hadoop.error());
    net::asio::io_context context(1);
    auto cluster = open_cluster(context.get_executor(), *hadoop);
    if (!cluster) return fail(cluster.error());
    auto removed = net::wait_for(context, remove_there(*cluster, job.folder.id().str()));
    cluster->close();
    if (!removed) return removed;
  }
  const auto hidden = jobs::hide_job_folder(job.folder);
  if (!hidden) return fail(hidden.error());
  const auto deleted = jobs::delete_tree(*hidden);
  if (!deleted) return fail(deleted.error());
  return {};
}

}  // namespace ydl::client
