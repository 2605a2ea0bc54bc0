#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "cli/commands/foreign.hpp"
#include "client/job_client.hpp"
#include "client/views.hpp"
#include "client/yarn/master_loss.hpp"
#include "client/yarn/remote_job.hpp"
#include "net/endpoint_file.hpp"
#include "net/spawn.hpp"

#include <algorithm>
#include <list>
#include <variant>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::cli {
namespace {

// Asks the master to stop the job and waits until it is gone.
net::Async<> stop_here(const jobs::JobFolder& folder, net::Endpoint endpoint, std::optional<core::Millis> grace) {
  client::JobClient client(co_await net::asio::this_coro::executor, std::move(endpoint));
  auto done = co_await client.stop(client::who_am_i(), grace);
  while (done && jobs::master_lives(folder)) co_await net::pause(core::Millis(20));
  co_return done;
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

// A job of this user that runs, and how stopping it went.
struct OwnTarget {
  jobs::JobFolder folder;
  std::optional<client::RemoteJob> remote = std::nullopt;
};
// One whose records another version of ydl has written: only the ResourceManager can stop it.
struct UnreadableTarget {
  jobs::JobFolder folder;
  core::Error refusal;
};
struct Target {
  std::string id;
  std::variant<OwnTarget, UnreadableTarget, ForeignTarget> job;
};

// Stops are made at the same time, and each is told when it is done.
class Stops {
 public:
  explicit Stops(const Kill& command) : command_(command) {}

  void done(const std::string& id, std::string_view state) { done(id, state, fmt::format("{} {}", id, state)); }
  void done(const std::string& id, std::string_view state, const std::string& sentence) {
    if (!wants_json(command_.common)) return print(sentence + "\n");
    print(boost::json::serialize(boost::json::object{{"v", 1}, {"type", "stopped"}, {"job", id}, {"state", state}}) +
          "\n");
  }
  void failed(const core::Error& error) { code_ = std::max(code_, complain(error)); }

  [[nodiscard]] std::optional<core::Millis> grace() const { return command_.grace; }
  [[nodiscard]] int code() const { return code_; }

 private:
  const Kill& command_;
  int code_ = 0;
};

net::Async<> stop_remote(client::RemoteJob& job, std::optional<core::Millis> grace) {
  auto done = co_await ask_master(job, grace);
  done = done ? co_await wait_for_stop(job, grace) : co_await kill(job);
  if (done) done = co_await job.fetch_records();
  job.close();
  co_return done;
}

net::Async<> stop_own(OwnTarget& target, std::optional<core::Millis> grace) {
  auto remote = client::RemoteJob::of(co_await net::asio::this_coro::executor, target.folder);
  if (!remote) co_return core::fail(remote.error());
  if (*remote && (*remote)->job().kind == backend::MasterKind::managed) {
    target.remote = **std::move(remote);
    co_return co_await stop_remote(*target.remote, grace);
  }
  auto endpoint = net::read_endpoint(target.folder.master_file());
  if (!endpoint) co_return core::fail(endpoint.error());
  co_return co_await stop_here(target.folder, *std::move(endpoint), grace);
}

net::awaitable<void> stop(Target& target, Stops& stops) {
  if (auto* own = std::get_if<OwnTarget>(&target.job)) {
    if (auto done = co_await stop_own(*own, stops.grace()); !done) co_return stops.failed(done.error());
    const auto view = client::stored_job_view(own->folder);
    stops.done(target.id, view ? view->state.name() : "ended");
  } else if (auto* foreign = std::get_if<ForeignTarget>(&target.job)) {
    const auto state = co_await stop_foreign(*foreign, stops.grace());
    foreign->cluster.close();
    if (!state) co_return stops.failed(state.error());
    stops.done(target.id, *state);
  }
}

// The ResourceManager knows the job by its application.
void stop_unreadable(const Target& target, const UnreadableTarget& job, Stops& stops) {
  const auto application = client::kill_application_of(job.folder, fmt::format("stopped by {}", client::who_am_i()));
  if (!application && application.error().code == std::errc::no_such_file_or_directory)
    return stops.failed(job.refusal);
  if (!application) return stops.failed(application.error());
  stops.done(
      target.id, core::name(core::JobState::stopped),
      fmt::format("{} was killed by the ResourceManager as {}: {}", target.id, *application, job.refusal.message));
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

core::Error not_running(const jobs::JobFolder& folder) {
  (void)client::refresh(folder, std::nullopt);
  const auto view = client::stored_job_view(folder);
  const auto how = !view ? "cannot be read" : view->state == core::JobState::lost ? "was lost" : view->state.name();
  return {make_error_code(core::Errc::refused), fmt::format("job {} is not running: it {}", folder.id().str(), how)};
}

// Errors: not_found; refused, where the job is not running; the cluster's.
core::Result<Target> find_target(net::asio::io_context& context, const std::string& name) {
  auto foreign = find_foreign(context, name);
  if (!foreign) return core::fail(foreign.error());
  if (*foreign) return Target{(*foreign)->job.id, **std::move(foreign)};
  const auto folder = folder_to_stop(name);
  if (!folder) return core::fail(folder.error());
  const auto id = folder->id().str();
  const auto running = client::is_running(*folder);
  if (!running && running.error().code == core::Errc::refused)
    return Target{id, UnreadableTarget{*folder, running.error()}};
  if (!running) return core::fail(running.error());
  if (!*running) return core::fail(not_running(*folder));
  return Target{id, OwnTarget{*folder}};
}

}  // namespace

// A mistyped id must not stop half of what was meant, so nothing is stopped before all ids are known. A job that has
// ended meanwhile does not keep the others running.
int execute(const Kill& command) {
  net::asio::io_context context(1);
  Stops stops(command);
  std::list<Target> targets;
  bool all_known = true;
  for (const auto& name : command.jobs) {
    auto target = find_target(context, name);
    if (!target) {
      stops.failed(target.error());
      if (target.error().code != core::Errc::refused) all_known = false;
    } else if (std::ranges::find(targets, target->id, &Target::id) == targets.end()) {
      targets.push_back(*std::move(target));
    }
  }
  if (!all_known) {
    if (!targets.empty()) note("no job was stopped");
    return stops.code();
  }
  for (auto& target : targets) {
    if (const auto* unreadable = std::get_if<UnreadableTarget>(&target.job))
      stop_unreadable(target, *unreadable, stops);
    else
      net::spawn(context.get_executor(), "stopping a job", stop(target, stops));
  }
  context.run();
  return stops.code();
}

}  // namespace ydl::cli
