#pragma once

#include "backend/yarn/yarn_job.hpp"
#include "client/yarn/cluster_client.hpp"
#include "core/result.hpp"
#include "hconf/config.hpp"
#include "jobs/job_folder.hpp"
#include "net/http_client.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ydl::client {

// The id of the job whose application has these tags; nothing where ydl did not submit it. Anybody can give an
// application any tag, so only what has the form of an id is taken for one.
[[nodiscard]] std::optional<std::string> job_id_of(const std::vector<std::string>& tags);

// How long the report of an application may lag behind its kill, which the ResourceManager has confirmed.
inline constexpr core::Millis kKillConfirmed = core::Seconds(10);
[[nodiscard]] core::Error still_runs(std::string_view application, core::Millis after);

// A job on a YARN cluster, as a client sees it. Its records and logs are on HDFS; a folder of this machine gets copies
// of what is asked for, and everything that reads job folders works on those.
class RemoteJob {
 public:
  RemoteJob(ClusterClient cluster, jobs::JobFolder folder, backend::YarnJob job);

  // Of a job folder of this machine. Nothing when the job ran here.
  [[nodiscard]] static core::Result<std::optional<RemoteJob>> of(const net::asio::any_io_executor& executor,
                                                                 const jobs::JobFolder& folder);

  // A job of this user that was submitted elsewhere: its files get a folder here. `name` is the job's id or its
  // application's. Errors: not_found.
  [[nodiscard]] static net::Async<jobs::JobFolder> adopt(ClusterClient& cluster, std::filesystem::path jobs,
                                                         std::string name);

  [[nodiscard]] const backend::YarnJob& job() const { return job_; }
  [[nodiscard]] const jobs::JobFolder& folder() const { return folder_; }
  // Whom the cluster takes us for.
  [[nodiscard]] const std::string& user() const { return cluster_.user; }

  [[nodiscard]] net::Async<yarn::AppReport> report();
  // Where its master listens; nothing when it has none (not yet, or not any more).
  [[nodiscard]] net::Async<std::optional<net::Endpoint>> endpoint();
  // state.json, view.json, events.jsonl and master.json; of a job that was ended from outside, what the ResourceManager
  // says.
  [[nodiscard]] net::Async<> fetch_records();
  // What has been added to the logs since the last time; of one task where it is named ("worker:0").
  [[nodiscard]] net::Async<> fetch_logs(std::string task);
  // Until the ResourceManager says that it is over. Errors: those of report(); timed_out.
  [[nodiscard]] net::Async<> wait_for_end(std::optional<core::Millis> at_most);
  // By way of the ResourceManager: the master is not asked.
  [[nodiscard]] net::Async<> kill(std::string why);

  void close() const { cluster_.close(); }

 private:
  [[nodiscard]] net::Async<> fetch(std::string name);
  [[nodiscard]] net::Async<> fetch_growth(std::string remote, std::filesystem::path local);
  [[nodiscard]] core::Result<> note_end(const yarn::AppReport& report) const;

  ClusterClient cluster_;
  jobs::JobFolder folder_;
  backend::YarnJob job_;
  yarn::ApplicationId application_;
};

// The Hadoop configuration that a job on a cluster was submitted with; the one of this command may be another.
// Errors: not_found (the job ran on this machine), corrupt.
[[nodiscard]] core::Result<hconf::Config> hadoop_of(const jobs::JobFolder& folder);

// Brings the folder of a job that runs on a cluster up to date; of a job of this machine there is nothing to do.
// `logs`: those of one task, or of all with "", or none.
[[nodiscard]] core::Result<> refresh(const jobs::JobFolder& folder, std::optional<std::string> logs);

// Whether there is a master to ask, as far as the folder knows.
[[nodiscard]] bool has_master(const jobs::JobFolder& folder);
// What the ResourceManager reports of a job whose master is on a cluster; of any other job nothing.
[[nodiscard]] core::Result<std::optional<yarn::AppReport>> report_of(const jobs::JobFolder& folder);
// Whether the job's master runs, or is started again: here, or by the ResourceManager's word.
[[nodiscard]] core::Result<bool> is_running(const jobs::JobFolder& folder);

// Ends a job on a cluster whose records another version of ydl has written, by way of the ResourceManager. Returns the
// application's id. Errors: not_found (the job did not run on a cluster), corrupt; the cluster's.
[[nodiscard]] core::Result<std::string> kill_application_of(const jobs::JobFolder& folder, std::string why);

}  // namespace ydl::client
