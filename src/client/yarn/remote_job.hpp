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

// The id of the job whose application has these tags; nothing if ydl did not submit it. Every user can set any tags, so
// only a tag with the form of an id is accepted.
[[nodiscard]] std::optional<std::string> job_id_of(const std::vector<std::string>& tags);

// How long an application may still be reported as running after the ResourceManager has confirmed its kill.
inline constexpr core::Millis kKillConfirmed = core::Seconds(10);
[[nodiscard]] core::Error still_runs(std::string_view application, core::Millis after);

// A job on a YARN cluster, for clients. Its records and logs are in HDFS. Requested files are copied to a folder of
// this machine, and all code that reads job folders uses these copies.
class RemoteJob {
 public:
  RemoteJob(ClusterClient cluster, jobs::JobFolder folder, backend::YarnJob job);

  // Opens the job of a folder on this machine. Nothing if the job ran here.
  [[nodiscard]] static core::Result<std::optional<RemoteJob>> of(const net::asio::any_io_executor& executor,
                                                                 const jobs::JobFolder& folder);

  // Opens a job of this user that was submitted on another machine, with a new folder here. `name` is the id of the job
  // or of its application. Errors: not_found.
  [[nodiscard]] static net::Async<jobs::JobFolder> adopt(ClusterClient& cluster, std::filesystem::path jobs,
                                                         std::string name);

  [[nodiscard]] const backend::YarnJob& job() const { return job_; }
  [[nodiscard]] const jobs::JobFolder& folder() const { return folder_; }
  // The user's name on the cluster.
  [[nodiscard]] const std::string& user() const { return cluster_.user; }

  [[nodiscard]] net::Async<yarn::AppReport> report();
  // The address of its master; nothing if there is none (not yet, or no longer).
  [[nodiscard]] net::Async<std::optional<net::Endpoint>> endpoint();
  // Copies state.json, view.json, events.jsonl and master.json. For a job that was ended from outside, the report of
  // the ResourceManager is used.
  [[nodiscard]] net::Async<> fetch_records();
  enum class LogTimes { skip, fetch };
  // Copies what was added to the logs since the last call, for all tasks, for one ("worker:0")
  // or for a role ("worker"). The indexes of the logs (files/log_times.hpp) are needed only by a command that shows
  // times.
  [[nodiscard]] net::Async<> fetch_logs(std::string task, LogTimes times = LogTimes::skip);
  // Whether its tasks left files in its folder for results; true where that cannot be found out.
  [[nodiscard]] net::awaitable<bool> has_results();
  // Waits until the ResourceManager reports that the application has ended. Errors: those of report(); timed_out.
  [[nodiscard]] net::Async<> wait_for_end(std::optional<core::Millis> at_most);
  // Kills the application through the ResourceManager, without the master.
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

// The Hadoop configuration with which a job was submitted; that of this command may differ.
// Errors: not_found (the job ran on this machine), corrupt.
[[nodiscard]] core::Result<hconf::Config> hadoop_of(const jobs::JobFolder& folder);

// Updates the folder of a job that runs on a cluster; does nothing for a job of this machine. `logs` names a task or
// role, or all tasks with ""; nothing: no logs.
[[nodiscard]] core::Result<> refresh(const jobs::JobFolder& folder, std::optional<std::string> logs);

// Whether there is a master to call, according to the folder.
[[nodiscard]] bool has_master(const jobs::JobFolder& folder);
// The report of the ResourceManager for a job with a master on a cluster; nothing for other jobs.
[[nodiscard]] core::Result<std::optional<yarn::AppReport>> report_of(const jobs::JobFolder& folder);
// Whether the job's master runs or is being restarted: on this machine, or according to the ResourceManager.
[[nodiscard]] core::Result<bool> is_running(const jobs::JobFolder& folder);

// Kills a job on a cluster whose records were written by another version of ydl, through the ResourceManager. Returns
// the id of the application. Errors: not_found (the job did not run on a cluster), corrupt; those of the cluster.
[[nodiscard]] core::Result<std::string> kill_application_of(const jobs::JobFolder& folder, std::string why);

}  // namespace ydl::client
