#include "cli/commands/job_list.hpp"

#include "backend/yarn/remote_files.hpp"
#include "cli/commands/slow_note.hpp"
#include "client/cluster_choice.hpp"
#include "client/yarn/cluster_client.hpp"
#include "client/yarn/foreign_job.hpp"
#include "client/yarn/remote_job.hpp"
#include "net/wait_for.hpp"
#include "yarn/diagnostics.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace ydl::cli {
namespace {

using Jobs = std::vector<jobs::JobSummary>;

// People wait for the list, and it is complete without HDFS.
constexpr core::Millis kFoldersPatience = core::Seconds(2);

struct ClusterJobs {
  std::vector<yarn::AppReport> reports;
  std::optional<std::set<std::string>> folders;  // of jobs on HDFS, where that had to be known
};

// The ResourceManager still reports jobs that were deleted.
bool may_be_deleted(const Jobs& jobs, const yarn::AppReport& report) {
  const auto id = client::job_id_of(report.tags);
  return id && yarn::is_over(report.state) &&
         std::ranges::find(jobs, *id, [](const jobs::JobSummary& job) { return job.id.str(); }) == jobs.end();
}

net::awaitable<std::optional<std::set<std::string>>> job_folders(client::ClusterClient& cluster) {
  using net::asio::experimental::awaitable_operators::operator||;
  const auto found =
      co_await (backend::list_or_nothing(*cluster.fs, cluster.root + "/jobs") || net::pause(kFoldersPatience));
  if (found.index() != 0 || !std::get<0>(found)) co_return std::nullopt;
  std::set<std::string> names;
  for (const auto& entry : *std::get<0>(found)) names.insert(entry.name);
  co_return names;
}

// Jobs on the cluster as the ResourceManager sees them; those submitted from other machines are among them.
void add_cluster_jobs(Jobs& jobs, const ClusterJobs& found) {
  for (const auto& report : found.reports) {
    const auto id = client::job_id_of(report.tags);
    if (!id || (found.folders && !found.folders->contains(*id) && may_be_deleted(jobs, report))) continue;
    const auto known = std::ranges::find(jobs, *id, [](const jobs::JobSummary& job) { return job.id.str(); });
    const bool is_new = known == jobs.end();
    auto& job = is_new ? jobs.emplace_back() : *known;
    if (!is_new && (!job.state || is_final(*job.state))) continue;
    job.id = {*id};
    job.name = report.name;
    job.cluster = core::ClusterKind::yarn;
    if (!job.created) job.created = report.started;
    if (const auto state = client::state_of(report); is_new || job.state == core::JobState::placing || is_final(state))
      job.state = state;
    if (!yarn::is_over(report.state)) continue;
    if (report.finished > core::WallTime()) job.finished = report.finished;
    job.reason = yarn::describe_end_of_application(report.diagnostics);
  }
  std::ranges::sort(jobs, std::greater{}, [](const jobs::JobSummary& job) { return std::pair(job.created, job.id); });
}

net::Async<std::vector<yarn::AppReport>> reports_of_user(client::ClusterClient& cluster) {
  yarn::ClientRm::Filter filter;
  filter.types = {"YDL"};
  filter.users = {cluster.user};
  co_return co_await cluster.rm->applications(std::move(filter));
}

// The jobs of this machine, with what the ResourceManager reports about the jobs of this user. The folders of this
// machine are read last: the cluster may take long to answer.
net::Async<Jobs> list_with_cluster(client::ClusterClient& cluster, std::filesystem::path root) {
  auto reports = co_await with_slow_note(reports_of_user(cluster),
                                         "the ResourceManager has not answered yet; `ydl ls --cluster local` lists the "
                                         "jobs of this machine without it");
  if (!reports) co_return core::fail(reports.error());
  auto jobs = jobs::summarise_jobs(root);
  ClusterJobs found{*std::move(reports), std::nullopt};
  if (std::ranges::any_of(found.reports, [&](const auto& report) { return may_be_deleted(jobs, report); }))
    found.folders = co_await job_folders(cluster);
  add_cluster_jobs(jobs, found);
  co_return jobs;
}

// Nothing: the request does not concern a cluster.
core::Result<std::optional<Jobs>> look_at_cluster(const WantedCluster& wanted, const std::filesystem::path& root) {
  if (wanted == core::ClusterKind::local) return std::nullopt;
  const auto where = client::choose_cluster({.cluster = wanted, .cluster_only = {}});
  if (!where) return core::fail(where.error());
  if (where->cluster != core::ClusterKind::yarn) return std::nullopt;
  net::asio::io_context context(1);
  auto cluster = client::open_cluster(context.get_executor(), *where->hadoop);
  if (!cluster) return core::fail(cluster.error());
  auto jobs = net::wait_for(context, list_with_cluster(*cluster, root));
  cluster->close();
  if (!jobs) return core::fail(jobs.error());
  return *std::move(jobs);
}

}  // namespace

JobList list_jobs(const std::filesystem::path& root, const WantedCluster& wanted) {
  auto looked = look_at_cluster(wanted, root);
  if (looked && *looked) return {**std::move(looked), std::nullopt};
  return {jobs::summarise_jobs(root), looked ? std::nullopt : std::optional(looked.error())};
}

}  // namespace ydl::cli
