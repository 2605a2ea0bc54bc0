#include "client/yarn/cluster_removal.hpp"

#include "backend/yarn/remote_files.hpp"
#include "backend/yarn/yarn_job.hpp"
#include "client/removal_rules.hpp"
#include "client/yarn/cluster_client.hpp"
#include "client/yarn/remote_job.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "core/strings.hpp"
#include "hdfs/paths.hpp"
#include "hrpc/errors.hpp"
#include "jobs/master_trace.hpp"
#include "net/wait_for.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::client {
namespace {

using core::fail;
using core::Result;
using jobs::MasterTrace;

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
  if (jobs::trace_of_master(folder) == MasterTrace::lives) co_return fail(still_runs(id));
  const auto application = yarn::ApplicationId::parse(job.application);
  if (!application) co_return check_is_settled(id, content);
  const auto report = co_await cluster.rm->report(*application);
  if (report && !yarn::is_over(report->state)) co_return fail(still_runs(id));
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

Result<RemovableJob> check_removable_there(const jobs::JobFolder& folder, const std::vector<RestoreUse>& uses) {
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

Result<> remove_folder_there(const jobs::JobFolder& folder) {
  const auto hadoop = hadoop_of(folder);
  if (!hadoop) return fail(hadoop.error());
  net::asio::io_context context(1);
  auto cluster = open_cluster(context.get_executor(), *hadoop);
  if (!cluster) return fail(cluster.error());
  auto removed = net::wait_for(context, remove_there(*cluster, folder.id().str()));
  cluster->close();
  return removed;
}

}  // namespace ydl::client
