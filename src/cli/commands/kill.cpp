#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "cli/commands/foreign.hpp"
#include "client/job_client.hpp"
#include "client/views.hpp"
#include "client/yarn/master_loss.hpp"
#include "client/yarn/remote_job.hpp"
#include "net/endpoint_file.hpp"
#include "net/spawn.hpp"

#include <fmt/format.h>

namespace ydl::cli {
namespace {

// Asks the master to stop the job and waits until it is gone.
net::awaitable<void> stop(const jobs::JobFolder& folder, net::Endpoint endpoint, std::optional<core::Millis> grace,
                          core::Result<void>& done) {
  client::JobClient client(co_await net::asio::this_coro::executor, std::move(endpoint));
  done = co_await client.stop(client::who_am_i(), grace);
  if (!done) co_return;
  while (jobs::master_lives(folder)) co_await net::pause(core::Millis(20));
}

// The master of a job on a cluster is asked first: it lets the tasks end with grace.
net::Async<> ask_master(client::RemoteJob& job, std::optional<core::Millis> grace) {
  const auto endpoint = co_await job.endpoint();
  if (!endpoint || !*endpoint) co_return core::fail(core::Errc::unavailable, "it has no master");
  client::JobClient client(co_await net::asio::this_coro::executor, **endpoint);
  co_return co_await client.stop(client::who_am_i(), grace);
}

// One that does not answer is ended with its job by the ResourceManager.
net::Async<> kill(client::RemoteJob& job) {
  auto killed = co_await job.kill(fmt::format("stopped by {}", client::who_am_i()));
  if (!killed) co_return killed;
  co_return co_await job.wait_for_end(client::kKillConfirmed);
}

net::Async<> wait_for_stop(client::RemoteJob& job, std::optional<core::Millis> grace) {
  using Next = client::RepeatedStop::Next;
  client::RepeatedStop stop;
  for (;; co_await net::pause(core::Millis(200))) {
    const auto report = co_await job.report();
    if (!report) co_return core::fail(report.error());
    if (yarn::is_over(report->state)) co_return core::Result<>{};
    const auto next = stop.saw(*report, core::steady_now());
    if (next == Next::give_up) co_return co_await kill(job);
    if (next == Next::ask && co_await ask_master(job, grace)) stop.taken();
  }
}

net::awaitable<void> stop_remote(client::RemoteJob& job, std::optional<core::Millis> grace, core::Result<void>& done) {
  done = co_await ask_master(job, grace);
  done = done ? co_await wait_for_stop(job, grace) : co_await kill(job);
  if (done) done = co_await job.fetch_records();
  job.close();
}

core::Result<void> stop_job(const jobs::JobFolder& folder, std::optional<core::Millis> grace) {
  net::asio::io_context context(1);
  core::Result<void> done = core::fail(core::Errc::cancelled, "the stop was not confirmed");
  auto remote = client::RemoteJob::of(context.get_executor(), folder);
  if (!remote) return core::fail(remote.error());
  if (*remote && (*remote)->job().kind == backend::MasterKind::managed) {
    net::spawn(context.get_executor(), "stopping the job", stop_remote(**remote, grace, done));
  } else {
    auto endpoint = net::read_endpoint(folder.master_file());
    if (!endpoint) return core::fail(endpoint.error());
    net::spawn(context.get_executor(), "stopping the job", stop(folder, *std::move(endpoint), grace, done));
  }
  context.run();
  return done;
}

// The records cannot be read, but the ResourceManager knows the job by its application.
int kill_of_another_version(const jobs::JobFolder& folder, const core::Error& refusal) {
  const auto application = client::kill_application_of(folder, fmt::format("stopped by {}", client::who_am_i()));
  if (!application && application.error().code == std::errc::no_such_file_or_directory) return complain(refusal);
  if (!application) return complain(application.error());
  print(fmt::format("{} was killed by the ResourceManager as {}: {}\n", folder.id().str(), *application,
                    refusal.message));
  return 0;
}

// The beginning of an id that several jobs have means the one of them that runs.
core::Result<jobs::JobFolder> folder_to_stop(const std::string& id) {
  auto found = folder_of(id);
  const auto jobs = jobs::jobs_root();
  if (found || found.error().code != core::Errc::not_found || !jobs) return found;
  std::vector<jobs::JobFolder> running;
  for (const auto& folder : jobs::list_job_folders(*jobs)) {
    if (!folder.id().str().starts_with(id)) continue;
    const auto state = jobs::read_state_file(folder);
    if (state && is_final(state->state)) continue;
    if (client::is_running(folder).value_or(true)) running.push_back(folder);
  }
  return running.size() == 1 ? running.front() : found;
}

}  // namespace

int execute(const Kill& command) {
  if (const auto code = kill_foreign(command)) return *code;
  const auto folder = folder_to_stop(command.job);
  if (!folder) return complain(folder.error());
  const auto id = folder->id().str();
  const auto running = client::is_running(*folder);
  if (!running && running.error().code == core::Errc::refused) return kill_of_another_version(*folder, running.error());
  if (!running) return complain(running.error());
  if (!*running) {
    (void)client::refresh(*folder, std::nullopt);
    const auto view = client::stored_job_view(*folder);
    const auto how = !view ? "cannot be read" : view->state == core::JobState::lost ? "was lost" : view->state.name();
    return complain({make_error_code(core::Errc::refused), fmt::format("job {} is not running: it {}", id, how)});
  }
  if (auto done = stop_job(*folder, command.grace); !done) return complain(done.error());
  const auto view = client::stored_job_view(*folder);
  print(fmt::format("{} {}\n", id, view ? view->state.name() : "ended"));
  return 0;
}

}  // namespace ydl::cli
