#include "client/follow.hpp"

#include "client/cluster_wait.hpp"
#include "client/followed_job.hpp"
#include "client/followed_lines.hpp"
#include "client/job_interrupts.hpp"
#include "client/views.hpp"
#include "client/yarn/master_loss.hpp"
#include "client/yarn/masterless.hpp"
#include "net/endpoint_file.hpp"
#include "net/spawn.hpp"
#include "ui/words.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

namespace ydl::client {
namespace {

namespace asio = net::asio;

constexpr core::Millis kLiveRefresh{250};  // how often a terminal shows the tasks anew
constexpr core::Millis kPlainRefresh{1000};
constexpr core::Millis kLogRefresh{150};
constexpr core::Millis kOutputRefresh{50};   // of a task whose output is all there is to see
constexpr core::Millis kBacklogTime{2'000};  // to show lines that are left when the user has stopped the job
constexpr core::Millis kRemoteLogRefresh{700};
constexpr core::Millis kContactPeriod{200};
constexpr core::Millis kEventWait{5'000};
constexpr core::Millis kReaderCheck{500};
constexpr int kNoReader = 128 + SIGPIPE;

// A pipe gets everything, a terminal that comes later the end of it.
FollowedLines::From start_of_lines(Part part, ui::Mode mode) {
  return part == Part::watcher && mode == ui::Mode::tty ? FollowedLines::From::last_lines : FollowedLines::From::start;
}

bool has_file(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::recursive_directory_iterator(); entry.increment(error)) {
    if (!entry->is_directory(error)) return true;
  }
  return false;
}

class Follower {
 public:
  Follower(asio::io_context& context, const jobs::JobFolder& folder, std::optional<RemoteJob> remote,
           FollowOptions options, ShownTasks shown)
      : context_(context),
        part_(options.part),
        job_(context_.get_executor(), folder, std::move(remote), options.mode, options.detail),
        lines_(folder, std::move(shown), start_of_lines(part_, job_.screen.mode()), job_.screen),
        cluster_(job_),
        interrupts_(context_, job_, {.part = part_, .lifeline = std::move(options.lifeline)}) {
    options.signals.release();
  }

  asio::awaitable<void> run() {
    if (part_ == Part::owner || !co_await has_ended()) co_await follow();
    interrupts_.end();
    if (!job_.is_left) co_await show_end();
    co_await job_.screen.catch_up();
    if (job_.remote) job_.remote->close();
    context_.stop();
  }

  [[nodiscard]] int exit_code() const { return job_.exit_code; }

 private:
  // Whether the job ended before we came. The ResourceManager may have forgotten it since.
  asio::awaitable<bool> has_ended() {
    using asio::experimental::awaitable_operators::operator||;
    if (job_.is_managed()) co_await (fetch_records() || interrupts_.watch());
    const auto state = jobs::read_state_file(job_.folder);
    co_return job_.is_left || (state && is_final(state->state));
  }

  // Where this fails the ResourceManager tells what can be told.
  asio::awaitable<void> fetch_records() { (void)co_await job_.remote->fetch_records(); }

  asio::awaitable<void> follow() {
    using asio::experimental::awaitable_operators::operator||;
    if (auto here = net::read_endpoint(job_.folder.master_file()); here && !job_.is_managed())
      job_.master.attach(*std::move(here));
    if (job_.is_managed())
      co_await (cluster_.wait_for_master() || cluster_.watch_silence() || interrupts_.watch() || refresh_screen());
    if (job_.master.is_attached() && !job_.is_left) {
      co_await begin();
      co_await (follow_events() || watch_contact() || interrupts_.watch() || refresh_tasks() || refresh_screen() ||
                follow_logs());
    }
    if (job_.is_managed() && !job_.is_left)
      co_await (cluster_.wait_for_end() || cluster_.watch_silence() || interrupts_.watch() || refresh_screen());
  }

  void master_answered() {
    if (auto news = job_.master.answered()) job_.screen.note(*std::move(news));
  }

  // Until the job's last event, or until there is evidence that its master is gone: show_end reads what it left.
  asio::awaitable<void> follow_events() {
    auto client = job_.master.connect();
    for (std::uint64_t last = 0; !job_.end;) {  // the numbers of events go on from one master to the next
      const auto events = co_await client->events(last, kEventWait);
      if (!events) {
        const auto found = co_await job_.master.find(events.error());
        if (!found) co_return job_.give_up(found.error());
        if (!*found) co_return;
        client = job_.master.connect();
        continue;
      }
      master_answered();
      co_await interrupts_.repeat_stop();
      for (const auto& event : *events) {
        last = std::max(last, event.seq);
        job_.screen.event(event);
        if (ui::end_of_job(event)) job_.end = event;
      }
    }
  }

  asio::awaitable<void> watch_contact() {
    for (;; co_await net::pause(kContactPeriod)) {
      if (auto notice = job_.master.notice()) job_.screen.note(*std::move(notice));
    }
  }

  asio::awaitable<void> begin() {
    const auto client = job_.master.connect();
    if (auto view = co_await client->job()) {
      job_.screen.begin(job_.with_paths(*view));
      has_begun_ = true;
      job_.view = *std::move(view);
    }
  }

  asio::awaitable<void> refresh_tasks() {
    auto client = job_.master.connect();
    for (;;) {
      co_await net::pause(job_.screen.mode() == ui::Mode::tty ? kLiveRefresh : kPlainRefresh);
      if (const auto view = co_await client->job()) {
        master_answered();
        if (notice_ != view->notice && !view->notice.empty()) job_.screen.note(view->notice);
        notice_ = view->notice;
        job_.view = *view;
        job_.screen.update(job_.with_paths(*view));
      } else {
        client = job_.master.connect();
      }
    }
  }

  asio::awaitable<void> refresh_screen() {
    for (;;) {
      co_await net::pause(std::min(job_.screen.next_refresh(), kReaderCheck));
      if (part_ == Part::watcher && job_.screen.has_no_reader()) co_return leave_without_reader();
      job_.screen.refresh();
    }
  }

  // As a program that SIGPIPE ends. A job of this command goes on, because leaving it would stop it.
  void leave_without_reader() {
    job_.is_left = true;
    job_.exit_code = kNoReader;
  }

  asio::awaitable<void> follow_logs() {
    for (;;) {
      if (lines_.shown().any() && job_.remote) {
        // Other errors pass or are told at the end; without a ticket no more lines come until then.
        const auto fetched = co_await fetch_lines();
        job_.screen.lines_missing(!fetched && is_refusal(fetched.error()) ? &fetched.error() : nullptr);
      }
      const auto refresh = job_.remote ? kRemoteLogRefresh : lines_.is_unchanged() ? kOutputRefresh : kLogRefresh;
      const bool has_more = show_new_lines();
      co_await job_.screen.catch_up();
      co_await net::pause(has_more ? core::Millis(0) : refresh);
    }
  }

  net::Async<> fetch_lines() {
    const auto times = lines_.needs_times() ? RemoteJob::LogTimes::fetch : RemoteJob::LogTimes::skip;
    return job_.remote->fetch_logs(lines_.shown().only(), times);
  }

  // True: there are more. The output of the only task waits until a question is answered.
  bool show_new_lines() { return !(interrupts_.is_asking() && lines_.is_unchanged()) && lines_.show_new(); }

  asio::awaitable<void> show_end() {
    // The last words of the job are on disk before its master goes; the view comes from whichever is there.
    for (int tries = 0; tries < 1000 && jobs::master_lives(job_.folder); ++tries) co_await net::pause(core::Millis(2));
    if (job_.remote) co_await fetch_remains();
    auto view = stored_job_view(job_.folder);
    if (!view) {
      job_.screen.write(fmt::format("ydl: {}\n", view.error().message));
      job_.exit_code = 1;
      co_return;
    }
    const auto told = job_.end ? ui::end_of_job(*job_.end) : std::nullopt;
    if (told && view->state == core::JobState::lost) {  // the folder's disk may be full
      view->state = *told;
      view->reason = job_.end->text;
      view->finished = job_.end->time;
      view->exit_code = job_.end->exit_code;
    }
    if (!has_begun_) job_.screen.begin(job_.with_paths(*view));  // it had ended before we came
    const auto backlog_end = core::steady_now() + kBacklogTime;
    while (lines_.show_new() && !(interrupts_.is_stopping() && core::steady_now() > backlog_end))
      co_await job_.screen.catch_up();
    lines_.show_rest();
    if (const auto stored = read_events(job_.folder)) {
      for (const auto& event : stored->events) job_.screen.event(event);
    }
    if (view->state == core::JobState::failed) {
      if (const auto failure = failure_view(job_.folder)) job_.screen.failure(*failure);
    }
    if (!co_await has_results(*view)) view->results_path.clear();
    job_.screen.finish(job_.with_paths(*view));
    job_.exit_code = view->exit_code.value_or(view->state == core::JobState::succeeded ? 0 : 1);
  }

  // What is shown at the end: all logs where they are shown as they come, else those of the task that failed.
  asio::awaitable<void> fetch_remains() {
    const auto done =
        job_.is_managed() ? co_await job_.remote->fetch_records() : co_await end_masterless(*job_.remote, {});
    if (!done) job_.screen.note(done.error().message);
    const auto state = jobs::read_state_file(job_.folder);
    const auto cause = state ? state->cause : "";
    if (lines_.shown().any()) {
      if (const auto logs = co_await fetch_lines(); !logs) job_.screen.note(logs.error().message);
    }
    const auto failed = core::TaskId::parse(cause);
    if (!failed || (lines_.shown().any() && lines_.shown().has(*failed))) co_return;
    if (const auto logs = co_await job_.remote->fetch_logs(cause); !logs) job_.screen.note(logs.error().message);
  }

  // Every task has a folder for results, also where it leaves nothing in it.
  asio::awaitable<bool> has_results(const ui::JobView& view) {
    if (job_.remote) co_return co_await job_.remote->has_results();
    co_return has_file(view.results_path);
  }

  asio::io_context& context_;
  Part part_;
  bool has_begun_ = false;  // the display was given the job
  FollowedJob job_;
  FollowedLines lines_;
  ClusterWait cluster_;
  JobInterrupts interrupts_;
  std::string notice_;  // of the job's view
};

}  // namespace

core::Result<int> follow_job(const jobs::JobFolder& folder, FollowOptions options) {
  asio::io_context context(1);
  const auto job = jobs::read_job_file(folder);
  if (!job) return core::fail(job.error());
  options.mode = FollowScreen::resolved(options.mode);
  auto shown = ShownTasks::of(options.show_logs, job->spec, options.mode);
  if (!shown) return core::fail(shown.error());
  auto remote = RemoteJob::of(context.get_executor(), folder);
  if (!remote) return core::fail(remote.error());
  Follower follower(context, folder, *std::move(remote), std::move(options), *std::move(shown));
  net::spawn(context.get_executor(), "following the job", follower.run());
  context.run();
  return follower.exit_code();
}

}  // namespace ydl::client
