#include "cli/commands/foreign.hpp"

#include "cli/commands/common.hpp"
#include "cli/commands/foreign_logs.hpp"
#include "cli/commands/status_text.hpp"
#include "client/cluster_choice.hpp"
#include "client/job_client.hpp"
#include "client/yarn/foreign_job.hpp"
#include "client/yarn/foreign_master.hpp"
#include "client/yarn/remote_job.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "net/wait_for.hpp"
#include "ui/json.hpp"
#include "ui/plain.hpp"
#include "ui/relative_time.hpp"
#include "ui/screen.hpp"
#include "ui/timeline.hpp"

#include <unistd.h>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

using client::ClusterClient;
using client::ForeignJob;
using core::fail;

constexpr core::Millis kEventWait = core::Seconds(10);
constexpr core::Millis kPause{200};
constexpr int kTimelineWidth = 100;  // where the width of the screen is not known

// The exit code, and nothing where the job is the user's own.
using Code = std::optional<int>;

template <class Command>
using Show = net::Async<Code> (*)(ClusterClient& cluster, ForeignJob job, Command command);

template <class Command>
net::Async<Code> find_and_show(ClusterClient& cluster, yarn::ApplicationId id, Command command, Show<Command> show) {
  auto report = co_await cluster.rm->report(id);
  if (!report) co_return fail(report.error());
  auto job = client::foreign_job(*std::move(report), cluster.user);
  if (!job) co_return Code{};
  co_return co_await show(cluster, *std::move(job), std::move(command));
}

template <class Command>
Code with_foreign(const Command& command, Show<Command> show) {
  const auto application = yarn::ApplicationId::parse(command.job);
  if (!application) return std::nullopt;
  const auto where = client::choose_cluster({});
  if (!where || where->cluster != core::ClusterKind::yarn) return std::nullopt;
  net::asio::io_context context(1);
  auto cluster = client::open_cluster(context.get_executor(), *where->hadoop);
  if (!cluster) return std::nullopt;
  const auto code = net::wait_for(context, find_and_show(*cluster, *application, command, show));
  cluster->close();
  return code ? *code : Code(complain(code.error()));
}

// Only the ResourceManager can be asked.
int show_report(const ForeignJob& job, const CommonOptions& options) {
  auto view = client::view_of(job);
  if (wants_json(options)) {
    view.reason = view.reason.empty() ? job.rest : fmt::format("{}; {}", view.reason, job.rest);
    print(ui::json_job_line(view));
    return 0;
  }
  auto text =
      fmt::format("{}  {}  of {} on {}\n", view.id, view.state.name(), core::printable(job.report.user), view.where);
  text += fmt::format("submitted {}\n", ui::relative_time(view.submitted, core::wall_now()));
  if (!view.reason.empty()) text += core::printable(view.reason) + "\n";
  if (!job.rest.empty()) text += core::printable(job.rest) + "\n";
  print(text);
  return 0;
}

core::Error cannot_ask(const ForeignJob& job, const core::Error& error) {
  return {error.code, fmt::format("the master of {} cannot be asked: {}", job.id, core::printable(error.message))};
}

net::Async<Code> status(ClusterClient& /*cluster*/, ForeignJob job, Status command) {
  if (job.master) {
    client::JobClient master(co_await net::asio::this_coro::executor, *job.master);
    const auto view = co_await master.job();
    if (view) {
      print(wants_json(command.common) ? ui::json_job_line(*view) : status_text(*view, StatusScreen::of_output()));
      co_return Code(0);
    }
    job.rest = cannot_ask(job, view.error()).message;
  }
  co_return Code(show_report(job, command.common));
}

// What can be said of a job whose master is not there: an error, with the reason.
core::Error no_master(const ForeignJob& job) {
  return {make_error_code(core::Errc::unavailable),
          fmt::format("{} of {} {}: {}", job.id, core::printable(job.report.user), client::view_of(job).state.name(),
                      job.rest)};
}

net::Async<bool> is_over(ClusterClient& cluster, const ForeignJob& job) {
  const auto report = co_await cluster.rm->report(job.report.id);
  if (!report) co_return fail(report.error());
  co_return yarn::is_over(report->state);
}

net::Async<Code> events(ClusterClient& cluster, ForeignJob job, Events command) {
  if (!job.master) co_return fail(no_master(job));
  const auto executor = co_await net::asio::this_coro::executor;
  client::ForeignMaster master(
      job, cluster.user, [&cluster, id = job.report.id] { return cluster.rm->report(id); },
      [](const std::string& text) { (void)core::write_all(STDERR_FILENO, fmt::format("ydl: {}\n", text)); });
  auto client = std::make_unique<client::JobClient>(executor, master.endpoint());
  std::vector<ui::EventView> all;
  const bool follows = command.follow && !command.timeline;
  for (std::uint64_t after = 0;;) {
    const auto list = co_await client->events(after, follows ? kEventWait : core::Millis(0));
    if (!list) {
      const auto found = follows ? co_await master.find(list.error()) : fail(list.error());
      if (!found) co_return fail(cannot_ask(job, found.error()));
      if (!*found) co_return Code(0);
      client = std::make_unique<client::JobClient>(executor, master.endpoint());
      continue;
    }
    master.answered();
    if (!follows && list->empty()) break;
    if (list->empty()) co_await net::pause(kPause);  // a master that does not wait
    for (const auto& event : *list) {
      if (event.seq <= after)
        co_return fail(core::Errc::corrupt, fmt::format("the master of {} repeats its events", job.id));
      after = event.seq;
      if (command.timeline) all.push_back(event);
      if (command.timeline) continue;
      print(wants_json(command.common) ? ui::json_event_line(event, job.id)
                                       : ui::dated_event_line(event, job.id, ui::local_utc_offset) + "\n");
    }
  }
  if (command.timeline) {
    const int width = table_width();
    print(wants_json(command.common)
              ? ui::json_timeline(all, job.id)
              : ui::render_timeline(all, core::wall_now(), width == 0 ? kTimelineWidth : width, output_style()));
  }
  co_return Code(0);
}

// Whether another try can help: the master may be busy, or about to end.
bool may_pass(const core::Error& error) {
  return error.code == core::Errc::unavailable || error.code == core::Errc::timeout || error.code == core::Errc::io;
}

net::Async<Code> logs(ClusterClient& cluster, ForeignJob job, Logs command) {
  if (!job.master) co_return fail(no_master(job));
  if (!command.target.empty() || command.since) {
    co_return fail(core::Errc::usage,
                   fmt::format("{} needs the files of {}, which only {} can read: leave it out",
                               command.since ? "--since" : "--to", job.id, core::printable(job.report.user)));
  }
  ForeignLogs reader(co_await net::asio::this_coro::executor, *job.master, command, job.id);
  for (;; co_await net::pause(kPause)) {
    const auto read = co_await reader.poll();
    if (!command.follow) {
      if (!read) co_return fail(cannot_ask(job, read.error()));
      break;
    }
    const auto over = co_await is_over(cluster, job);
    if (over && *over) break;
    if (!read && (!over || !may_pass(read.error()))) co_return fail(cannot_ask(job, read.error()));
  }
  reader.finish_lines();
  if (!command.follow) co_return Code(reader.complain_of_missing());
  // A master that ends does not wait for its viewers.
  const auto report = co_await cluster.rm->report(job.report.id);
  const auto ended = report ? client::foreign_job(*report, cluster.user) : std::nullopt;
  (void)core::write_all(STDERR_FILENO, fmt::format("ydl: {} has ended, and last lines may be missing here: {}\n",
                                                   job.id, ended ? ended->rest : "its owner has them"));
  co_return Code(0);
}

}  // namespace

std::optional<int> show_foreign(const Status& command) {
  return with_foreign<Status>(command, status);
}

std::optional<int> show_foreign(const Events& command) {
  return with_foreign<Events>(command, events);
}

std::optional<int> show_foreign(const Logs& command) {
  return with_foreign<Logs>(command, logs);
}

core::Result<std::optional<ForeignTarget>> find_foreign(net::asio::io_context& context, const std::string& name) {
  using Found = std::optional<ForeignTarget>;
  const auto application = yarn::ApplicationId::parse(name);
  if (!application) return Found();
  const auto where = client::choose_cluster({});
  if (!where || where->cluster != core::ClusterKind::yarn) return Found();
  auto cluster = client::open_cluster(context.get_executor(), *where->hadoop);
  if (!cluster) return Found();
  auto report = net::wait_for(context, cluster->rm->report(*application));
  auto job = report ? client::foreign_job(*std::move(report), cluster->user) : std::nullopt;
  if (job) return Found({*std::move(cluster), *std::move(job)});
  cluster->close();
  if (!report) return fail(report.error());
  return Found();
}

// The master lets the tasks end with grace. Whom it refuses the ResourceManager may allow it, by their groups.
net::Async<std::string> stop_foreign(ForeignTarget& target, std::optional<core::Millis> grace) {
  auto& [cluster, job] = target;
  const auto& owner = job.report.user;
  if (yarn::is_over(job.report.state)) {
    co_return fail(core::Errc::refused,
                   fmt::format("job {} of {} is not running: it {}", job.id, owner, client::view_of(job).state.name()));
  }
  core::Result<> done = fail(core::Errc::unavailable, job.rest);
  if (job.master) {
    client::JobClient master(co_await net::asio::this_coro::executor, *job.master);
    done = co_await master.stop(client::who_am_i(), grace);
  }
  const bool is_killed = !done;
  if (is_killed) {
    done = co_await cluster.rm->kill(job.report.id, fmt::format("stopped by {}", client::who_am_i()));
    if (!done) co_return fail(done.error().within(fmt::format("stopping {} of {}", job.id, owner)));
  }
  const auto begun = core::steady_now();
  auto ended = co_await cluster.rm->report(job.report.id);
  while (ended && !yarn::is_over(ended->state)) {
    if (is_killed && core::steady_now() - begun > client::kKillConfirmed)
      co_return fail(client::still_runs(job.report.id.str(), client::kKillConfirmed));
    co_await net::pause(kPause);
    ended = co_await cluster.rm->report(job.report.id);
  }
  if (!ended) co_return fail(ended.error());
  job.report = *std::move(ended);
  co_return std::string(client::view_of(job).state.name());
}

}  // namespace ydl::cli
