#include "client/yarn/masterless.hpp"

#include "client/cluster_choice.hpp"
#include "client/yarn/foreign_job.hpp"
#include "hconf/services.hpp"
#include "hrpc/errors.hpp"
#include "net/wait_for.hpp"
#include "yarn/diagnostics.hpp"

#include <filesystem>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

namespace ydl::client {
namespace {

using core::fail;
using jobs::MasterTrace;

// For the ResourceManager, because the user is waiting for the command.
constexpr core::Millis kPatience = core::Seconds(5);

bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// Without the facts in yarn.json, which may be large.
MasterlessFacts facts_of(const jobs::JobFolder& folder) {
  MasterlessFacts facts{.id = folder.id().str(), .user = {}};
  facts.master = jobs::trace_of_master(folder);
  if (facts.master == MasterTrace::none) return facts;
  if (const auto state = jobs::read_state_file(folder); state && is_final(state->state)) facts.recorded = state->state;
  facts.has_endpoint = is_there(folder.master_file());
  return facts;
}

core::Result<> record_end(const RemoteJob& job, const MasterlessFacts& facts,
                          const std::optional<yarn::AppReport>& report) {
  const auto& folder = job.folder();
  std::error_code ignored;
  jobs::remove_unfinished_files(folder);
  if (!facts.recorded) {
    const auto before = jobs::read_state_file(folder);
    const auto end = masterless_end(before ? *before : jobs::StateFile{}, job.job(), report, core::wall_now());
    std::filesystem::remove(folder.view_file(), ignored);  // it shows a running job
    if (auto written = jobs::write_state_file(folder, end); !written) return written;
  }
  std::filesystem::remove(folder.master_file(), ignored);  // it contains a secret that is no longer valid
  return {};
}

net::Async<> kill_and_record(RemoteJob& job, const MasterlessFacts& facts, const TellKill& tell) {
  const auto killed = co_await job.kill(fmt::format("its master on {} has ended", core::host_name()));
  if (!killed) co_return killed;
  if (tell) {
    tell(fmt::format("{}: its master on this machine has ended; killed its application {}", facts.id,
                     job.job().application));
  }
  co_return record_end(job, facts, std::nullopt);
}

net::Async<> ask_and_end(RemoteJob& job, const MasterlessFacts& facts, const TellKill& tell) {
  const auto report = co_await job.report();
  if (!report && report.error().code == hrpc::Errc::not_found && facts.master == MasterTrace::gone) {
    yarn::AppReport unknown;
    unknown.state = yarn::AppState::failed;
    unknown.finished = core::wall_now();
    unknown.diagnostics = "the ResourceManager has no record of it";
    co_return record_end(job, facts, unknown);
  }
  if (!report) co_return fail(report.error());
  switch (masterless_step(facts, job.user(), *report)) {
    case MasterlessStep::leave:
      break;
    case MasterlessStep::kill:
      co_return co_await kill_and_record(job, facts, tell);
    case MasterlessStep::note_end:
      co_return record_end(job, facts, *report);
  }
  co_return core::Result<>{};
}

core::Result<std::vector<hconf::HostPort>> resource_managers_of(const hconf::Config& config) {
  const auto found = hconf::resource_managers(config);
  if (!found) return fail(found.error());
  std::vector<hconf::HostPort> servers;
  for (const auto& server : *found) servers.push_back(server.client);
  return servers;
}

// Whether the job was submitted to this cluster.
bool runs_on(const hconf::Config& cluster, const jobs::JobFolder& folder) {
  const auto submitted = hadoop_of(folder);
  const auto there = submitted ? resource_managers_of(*submitted) : fail(submitted.error());
  const auto here = resource_managers_of(cluster);
  return there && here && *there == *here;
}

}  // namespace

bool may_be_masterless(const MasterlessFacts& facts) {
  if (facts.kind != backend::MasterKind::unmanaged) return false;
  if (facts.master != MasterTrace::gone && facts.master != MasterTrace::elsewhere) return false;
  return !facts.recorded || facts.has_endpoint;
}

MasterlessStep masterless_step(const MasterlessFacts& facts, const std::string& user, const yarn::AppReport& report) {
  if (!may_be_masterless(facts)) return MasterlessStep::leave;
  if (report.user != facts.user || report.user != user || job_id_of(report.tags) != facts.id)
    return MasterlessStep::leave;
  if (yarn::is_over(report.state)) return MasterlessStep::note_end;
  return facts.master == MasterTrace::gone ? MasterlessStep::kill : MasterlessStep::leave;
}

jobs::StateFile masterless_end(jobs::StateFile before, const backend::YarnJob& job,
                               const std::optional<yarn::AppReport>& report, core::WallTime now) {
  const bool has_succeeded = report && state_of(*report) == core::JobState::succeeded;
  before.state = has_succeeded ? core::JobState::succeeded : core::JobState::failed;
  before.exit_code = has_succeeded ? 0 : 1;
  before.finished = report ? report->finished : now;
  if (!report) {
    before.reason = fmt::format(
        "its master, which ran on the client's host, ended before the job did; its application {} was killed",
        job.application);
    return before;
  }
  const auto words = yarn::describe_end_of_application(report->diagnostics);
  before.reason = fmt::format("its master, which ran on the client's host, ended before the job did; {} has ended{}",
                              job.application, words.empty() ? "" : ": " + words);
  return before;
}

net::Async<> end_masterless(RemoteJob& job, TellKill tell) {
  using net::asio::experimental::awaitable_operators::operator||;
  auto facts = facts_of(job.folder());
  facts.user = job.job().user;
  facts.kind = job.job().kind;
  if (!may_be_masterless(facts) || facts.user != job.user()) co_return core::Result<>{};
  auto ended = co_await (ask_and_end(job, facts, tell) || net::pause(kPatience));
  auto done = ended.index() == 0 ? std::get<0>(std::move(ended))
                                 : fail(hrpc::Errc::timed_out, "the ResourceManager does not answer");
  if (done) co_return done;
  co_return fail(
      done.error().code,
      fmt::format("its master has ended, and its application {} may still run: {}; the next ydl command that "
                  "shows jobs kills it",
                  job.job().application, done.error().message));
}

void end_masterless_jobs(const TellKill& tell) {
  const auto root = jobs::jobs_root();
  if (!root) return;
  std::vector<jobs::JobFolder> folders;
  for (auto& folder : jobs::list_job_folders(*root)) {
    if (is_there(folder.yarn_file()) && may_be_masterless(facts_of(folder))) folders.push_back(std::move(folder));
  }
  if (folders.empty()) return;
  const auto where = choose_cluster({});
  if (!where || where->cluster != core::ClusterKind::yarn) return;
  for (const auto& folder : folders) {
    if (!runs_on(*where->hadoop, folder)) continue;
    net::asio::io_context context(1);
    auto job = RemoteJob::of(context.get_executor(), folder);
    if (!job || !*job) continue;
    const auto ended = net::wait_for(context, [](RemoteJob& remote, const TellKill& say) -> net::Async<> {
      auto done = co_await end_masterless(remote, say);
      remote.close();
      co_return done;
    }(**job, tell));
    if (!ended) return;
  }
}

}  // namespace ydl::client
