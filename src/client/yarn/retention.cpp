#include "client/yarn/retention.hpp"

namespace ydl::client {

net::Async<backend::Applications> applications_of(ClusterClient& cluster) {
  const auto reports = co_await cluster.rm->applications({.users = {cluster.user}});
  if (!reports) co_return core::fail(reports.error());
  backend::Applications applications;
  for (const auto& report : *reports)
    (yarn::is_over(report.state) ? applications.over : applications.running).insert(report.id.str());
  co_return applications;
}

net::Async<std::vector<std::string>> remove_old_jobs(ClusterClient& cluster, core::Millis keep, Removal removal) {
  const backend::KeepRule rule{core::wall_now(), keep};
  std::vector<std::string> removed;
  const auto jobs = co_await backend::list_old_jobs(*cluster.fs, cluster.root, rule);
  if (!jobs) co_return core::fail(jobs.error());
  if (jobs->empty()) co_return removed;
  const auto applications = co_await applications_of(cluster);
  if (!applications)
    co_return core::fail(applications.error().within("nothing was deleted, because it is unknown which jobs run"));
  for (const auto& job : backend::outlived(*jobs, *applications, rule)) {
    if (removal == Removal::real) {
      const auto done = co_await cluster.fs->remove(cluster.job_folder(job.id), hdfs::Recursive::yes);
      if (!done) co_return core::fail(done.error());
    }
    removed.push_back(job.id);
  }
  co_return removed;
}

}  // namespace ydl::client
