#include "client/yarn/remote_job.hpp"

#include "backend/yarn/remote_files.hpp"
#include "client/log_files.hpp"
#include "core/strings.hpp"
#include "files/log_times.hpp"
#include "hconf/portable.hpp"
#include "hdfs/errors.hpp"
#include "hdfs/paths.hpp"
#include "hrpc/errors.hpp"
#include "net/endpoint_file.hpp"
#include "net/wait_for.hpp"
#include "yarn/diagnostics.hpp"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>

#include <fmt/format.h>

namespace ydl::client {

using core::fail;

namespace {

constexpr std::size_t kLargestEndpoint = std::size_t{64} << 10U;

core::Result<backend::YarnJob> read_yarn_file(const jobs::JobFolder& folder) {
  const auto text = core::read_file(folder.yarn_file());
  if (!text) return fail(text.error());
  auto job = backend::yarn_job_from_json(*text);
  if (!job) return fail(job.error().within(folder.yarn_file().string()));
  return job;
}

hconf::Config configuration_of(const backend::YarnJob& job, const jobs::JobFolder& folder) {
  return hconf::from_map(job.hadoop, folder.yarn_file().string());
}

}  // namespace

core::Error still_runs(std::string_view application, core::Millis after) {
  return {hrpc::Errc::timed_out,
          fmt::format("the ResourceManager has confirmed that {} is killed, and still reports it as running {} later: "
                      "ask the cluster's administrator",
                      application, core::format_duration(after))};
}

std::optional<std::string> job_id_of(const std::vector<std::string>& tags) {
  if (std::ranges::find(tags, "ydl") == tags.end()) return std::nullopt;
  const auto id = std::ranges::find_if(tags, jobs::is_job_id);
  return id == tags.end() ? std::nullopt : std::optional(*id);
}

RemoteJob::RemoteJob(ClusterClient cluster, jobs::JobFolder folder, backend::YarnJob job)
    : cluster_(std::move(cluster)),
      folder_(std::move(folder)),
      job_(std::move(job)),
      application_(yarn::ApplicationId::parse(job_.application).value_or(yarn::ApplicationId{})) {}

core::Result<std::optional<RemoteJob>> RemoteJob::of(const net::asio::any_io_executor& executor,
                                                     const jobs::JobFolder& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder.yarn_file(), error)) return std::optional<RemoteJob>{};
  auto job = read_yarn_file(folder);
  if (!job) return fail(job.error());
  auto cluster = open_cluster(executor, configuration_of(*job, folder));
  if (!cluster) return fail(cluster.error());
  return std::optional<RemoteJob>(RemoteJob(*std::move(cluster), folder, *std::move(job)));
}

net::Async<yarn::AppReport> RemoteJob::report() {
  return cluster_.rm->report(application_);
}

net::Async<std::optional<net::Endpoint>> RemoteJob::endpoint() {
  const auto text = co_await backend::read_remote_file(*cluster_.fs, job_.folder + "/master.json", kLargestEndpoint);
  if (!text && text.error().code == hrpc::Errc::not_found) co_return std::optional<net::Endpoint>{};
  if (!text) co_return fail(text.error());
  if (auto written = core::write_file_atomically(folder_.master_file(), *text, 0600); !written)
    co_return fail(written.error());
  auto endpoint = net::read_endpoint(folder_.master_file());
  if (!endpoint) co_return fail(endpoint.error());
  co_return std::optional(*std::move(endpoint));
}

net::Async<> RemoteJob::fetch(std::string name) {
  const auto text = co_await backend::read_remote_file(*cluster_.fs, fmt::format("{}/{}", job_.folder, name));
  if (!text && text.error().code == hrpc::Errc::not_found) co_return core::Result<>{};
  if (!text) co_return fail(text.error());
  co_return core::write_file_atomically(folder_.root() / name, *text, 0600);
}

net::Async<> RemoteJob::fetch_records() {
  const auto report = co_await cluster_.rm->report(application_);
  auto events = co_await fetch_growth(job_.folder + "/events.jsonl", folder_.events_file());
  if (!events) co_return events;
  for (const auto* name : {"view.json", "state.json"}) {
    if (auto fetched = co_await fetch(name); !fetched) co_return fetched;
  }
  auto master = co_await endpoint();
  if (!master) co_return fail(master.error());
  if (!*master) {
    std::error_code ignored;
    std::filesystem::remove(folder_.master_file(), ignored);
  }
  if (report && yarn::is_over(report->state)) co_return note_end(*report);
  co_return core::Result<>{};
}

// A master that could not write at its end leaves a state that is not final. Then the ResourceManager has the cause.
core::Result<> RemoteJob::note_end(const yarn::AppReport& report) const {
  auto state = jobs::read_state_file(folder_);
  if (state && is_final(state->state)) return {};
  jobs::StateFile end = state ? *state : jobs::StateFile{};
  end.state = report.state == yarn::AppState::killed ? core::JobState::stopped : core::JobState::failed;
  end.exit_code = report.state == yarn::AppState::killed ? 130 : 1;
  const auto words = yarn::describe_end_of_application(report.diagnostics);
  end.reason = fmt::format("{} {} by the cluster{}", job_.application,
                           report.state == yarn::AppState::killed ? "was killed" : "was ended",
                           words.empty() ? "" : ": " + words);
  end.finished = report.finished;
  std::error_code ignored;
  std::filesystem::remove(folder_.view_file(), ignored);  // it shows a running job
  return jobs::write_state_file(folder_, end);
}

net::Async<> RemoteJob::fetch_growth(std::string remote, std::filesystem::path local) {
  struct stat there{};
  const auto have = ::stat(local.c_str(), &there) == 0 ? static_cast<std::uint64_t>(there.st_size) : 0;
  auto reader = co_await cluster_.fs->open(remote);
  if (!reader && reader.error().code == hrpc::Errc::not_found) co_return core::Result<>{};
  if (!reader) co_return fail(reader.error());
  if (reader->length() <= have) co_return core::Result<>{};
  if (auto made = core::make_directories(local.parent_path(), 0700); !made) co_return made;
  const core::UniqueFd out(::open(local.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!out) co_return fail(core::system_error(errno, fmt::format("cannot write {}", local.string())));
  reader->seek(have);
  for (;;) {
    const auto piece = co_await reader->next();
    if (!piece) co_return fail(piece.error());
    if (piece->empty()) co_return core::Result<>{};
    if (auto written = core::write_all(out.get(), {piece->data(), piece->size()}); !written) co_return written;
  }
}

net::Async<> RemoteJob::fetch_logs(std::string task, LogTimes times) {
  const auto logs = job_.folder + "/logs";
  const auto tasks = co_await cluster_.fs->list_all(logs);
  if (!tasks && tasks.error().code == hrpc::Errc::not_found) co_return core::Result<>{};
  if (!tasks) co_return fail(tasks.error());
  core::Result<> all;
  for (const auto& entry : *tasks) {
    const auto id = task_of_folder(entry.name);
    if (!entry.is_directory() || !id || !names_task(task, *id)) continue;
    const auto attempts = co_await cluster_.fs->list_all(hdfs::join_path(logs, entry.name));
    if (!attempts) co_return fail(attempts.error());
    for (const auto& attempt : *attempts) {
      // A log before its index, which then is not behind it.
      for (const std::string_view stream : {"stdout", "stdout.times", "stderr", "stderr.times"}) {
        const bool is_index = stream.ends_with(files::kTimesSuffix);
        if (is_index && times == LogTimes::skip) continue;
        auto fetched = co_await fetch_growth(fmt::format("{}/{}/{}/{}", logs, entry.name, attempt.name, stream),
                                             folder_.logs() / entry.name / attempt.name / stream);
        if (fetched) continue;
        // A log on a lost DataNode must not hide the lines of the other tasks.
        if (fetched.error().code.category() != hdfs::error_category()) co_return fetched;
        if (all && !is_index) all = std::move(fetched);
      }
    }
  }
  co_return all;
}

net::awaitable<bool> RemoteJob::has_results() {
  const auto summary = co_await cluster_.fs->content_summary(job_.results);
  co_return !summary || summary->files > 0;
}

net::Async<> RemoteJob::wait_for_end(std::optional<core::Millis> at_most) {
  const auto begun = core::steady_now();
  for (;; co_await net::pause(core::Millis(200))) {
    const auto now = co_await report();
    if (!now) co_return fail(now.error());
    if (yarn::is_over(now->state)) co_return core::Result<>{};
    if (at_most && core::steady_now() - begun > *at_most) co_return fail(still_runs(job_.application, *at_most));
  }
}

net::Async<> RemoteJob::kill(std::string why) {
  return cluster_.rm->kill(application_, std::move(why));
}

net::Async<jobs::JobFolder> RemoteJob::adopt(ClusterClient& cluster, std::filesystem::path jobs, std::string name) {
  std::string id = name;
  if (const auto application = yarn::ApplicationId::parse(name)) {
    const auto report = co_await cluster.rm->report(*application);
    if (!report) co_return fail(report.error());
    const auto tagged = job_id_of(report->tags);
    if (!tagged)
      co_return fail(core::Errc::not_found, fmt::format("{} was not submitted by ydl: it has no tag of a job", name));
    id = *tagged;
  }
  if (!jobs::is_job_id(id)) co_return fail(core::Errc::not_found, fmt::format("'{}' is not the id of a job", id));
  const auto remote = cluster.job_folder(id);
  const jobs::JobFolder folder(jobs / id);
  for (const auto& path : {folder.job_file(), folder.yarn_file()}) {
    const auto text =
        co_await backend::read_remote_file(*cluster.fs, hdfs::join_path(remote, path.filename().string()));
    if (!text && text.error().code == hrpc::Errc::not_found) {
      co_return fail(core::Errc::not_found, fmt::format("there is no job {} here or in {}{}: `ydl ls` shows them", name,
                                                        cluster.url_prefix, hdfs::join_path(cluster.root, "jobs")));
    }
    if (!text) co_return fail(text.error());
    if (auto made = core::make_directories(folder.logs(), 0700); !made) co_return fail(made.error());
    if (auto written = core::write_file_atomically(path, *text, 0600); !written) co_return fail(written.error());
  }
  co_return folder;
}

core::Result<hconf::Config> hadoop_of(const jobs::JobFolder& folder) {
  const auto job = read_yarn_file(folder);
  if (!job) return fail(job.error());
  return configuration_of(*job, folder);
}

core::Result<> refresh(const jobs::JobFolder& folder, std::optional<std::string> logs) {
  net::asio::io_context context(1);
  auto remote = RemoteJob::of(context.get_executor(), folder);
  if (!remote) return fail(remote.error());
  if (!*remote) return {};
  return net::wait_for(context, [](RemoteJob& job, std::optional<std::string> wanted) -> net::Async<> {
    core::Result<> done;
    if (job.job().kind == backend::MasterKind::managed) done = co_await job.fetch_records();
    if (done && wanted) done = co_await job.fetch_logs(*wanted, RemoteJob::LogTimes::fetch);
    job.close();
    co_return done;
  }(**remote, std::move(logs)));
}

bool has_master(const jobs::JobFolder& folder) {
  std::error_code error;
  return jobs::master_lives(folder) ||
         (std::filesystem::exists(folder.yarn_file(), error) && std::filesystem::exists(folder.master_file(), error));
}

core::Result<std::optional<yarn::AppReport>> report_of(const jobs::JobFolder& folder) {
  net::asio::io_context context(1);
  auto remote = RemoteJob::of(context.get_executor(), folder);
  if (!remote) return fail(remote.error());
  if (!*remote || (*remote)->job().kind == backend::MasterKind::unmanaged) return std::optional<yarn::AppReport>{};
  auto report = net::wait_for(context, [](RemoteJob& job) -> net::Async<yarn::AppReport> {
    auto answer = co_await job.report();
    job.close();
    co_return answer;
  }(**remote));
  if (!report) return fail(report.error());
  return std::optional(*std::move(report));
}

core::Result<bool> is_running(const jobs::JobFolder& folder) {
  if (jobs::master_lives(folder)) return true;
  const auto report = report_of(folder);
  if (!report) return fail(report.error());
  return *report && !yarn::is_over((*report)->state);
}

core::Result<std::string> kill_application_of(const jobs::JobFolder& folder, std::string why) {
  const auto text = core::read_file(folder.yarn_file());
  if (!text) return fail(text.error());
  auto job = backend::yarn_application_from_json(*text);
  if (!job) return fail(job.error().within(folder.yarn_file().string()));
  const auto application = yarn::ApplicationId::parse(job->application);
  if (!application) {
    return fail(core::Errc::corrupt,
                fmt::format("{}: '{}' is not the id of an application", folder.yarn_file().string(), job->application));
  }
  net::asio::io_context context(1);
  auto cluster = open_cluster(context.get_executor(), hconf::from_map(job->hadoop, folder.yarn_file().string()));
  if (!cluster) return fail(cluster.error());
  const auto killed = net::wait_for(context, cluster->rm->kill(*application, std::move(why)));
  cluster->close();
  if (!killed) return fail(killed.error());
  return std::move(job->application);
}

}  // namespace ydl::client
