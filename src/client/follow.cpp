#include "client/follow.hpp"

#include "client/attached_master.hpp"
#include "client/follow_screen.hpp"
#include "client/followed_lines.hpp"
#include "client/views.hpp"
#include "client/yarn/master_loss.hpp"
#include "client/yarn/masterless.hpp"
#include "client/yarn/remote_job.hpp"
#include "core/strings.hpp"
#include "core/utf8.hpp"
#include "files/log_lines.hpp"
#include "job/types.hpp"
#include "net/endpoint_file.hpp"
#include "net/spawn.hpp"
#include "ui/question.hpp"
#include "ui/screen.hpp"
#include "ui/words.hpp"
#include "yarn/diagnostics.hpp"

#include <array>
#include <csignal>
#include <filesystem>
#include <memory>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
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
constexpr core::Millis kReportPeriod{200};
constexpr core::Millis kQuietWait{3'000};  // for a container that comes as fast as it can
constexpr core::Millis kEventWait{5'000};
constexpr core::Millis kSilence{15'000};       // then it is said that the ResourceManager does not answer
constexpr core::Millis kStopPatience{10'000};  // for the ResourceManager to accept the stop

constexpr int kInterrupted = 130;

// A pipe gets everything, a terminal that comes later the end of it.
TaskOutput::From start_of_lines(Part part, ui::Mode mode) {
  return part == Part::watcher && mode == ui::Mode::tty ? TaskOutput::From::last_lines : TaskOutput::From::start;
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
  Follower(asio::io_context& context, jobs::JobFolder folder, std::optional<RemoteJob> remote, FollowOptions options,
           ShownTasks shown)
      : context_(context),
        folder_(std::move(folder)),
        remote_(std::move(remote)),
        options_(std::move(options)),
        screen_(options_.mode, options_.detail),
        lines_(folder_, std::move(shown), start_of_lines(options_.part, screen_.mode()), screen_),
        master_(context_.get_executor(), folder_, is_managed() ? &*remote_ : nullptr),
        signals_(context_, SIGINT, SIGTERM, SIGHUP) {
    options_.signals.release();
    if (const auto job = jobs::read_job_file(folder_)) submitted_ = job->created;
  }

  asio::awaitable<void> run() {
    if (options_.part == Part::owner || !co_await has_ended()) co_await follow();
    if (!left_) co_await show_end();
    if (remote_) remote_->close();
    context_.stop();
  }

  [[nodiscard]] int exit_code() const { return exit_code_; }

 private:
  // Whether the job ended before we came. The ResourceManager may have forgotten it since.
  asio::awaitable<bool> has_ended() {
    using asio::experimental::awaitable_operators::operator||;
    if (is_managed()) co_await (fetch_records() || watch_signals());
    const auto state = jobs::read_state_file(folder_);
    co_return left_ || (state && is_final(state->state));
  }

  // Where this fails the ResourceManager tells what can be told.
  asio::awaitable<void> fetch_records() { (void)co_await remote_->fetch_records(); }

  asio::awaitable<void> follow() {
    using asio::experimental::awaitable_operators::operator||;
    if (auto here = net::read_endpoint(folder_.master_file()); here && !is_managed()) master_.attach(*std::move(here));
    if (is_managed()) co_await (wait_for_master() || watch_silence() || watch_signals() || refresh_screen());
    if (master_.is_attached() && !left_) {
      co_await begin();
      co_await (follow_events() || watch_contact() || watch_signals() || refresh_tasks() || refresh_screen() ||
                follow_logs());
    }
    if (is_managed() && !left_) co_await (wait_for_end() || watch_silence() || watch_signals() || refresh_screen());
  }

  // A job on a cluster whose master is in a container there: its records are there too.
  [[nodiscard]] bool is_managed() const { return remote_ && remote_->job().kind == backend::MasterKind::managed; }

  // Until the job's master answers, or the cluster has ended the job. What the ResourceManager says meanwhile is shown.
  asio::awaitable<void> wait_for_master() {
    std::string said;
    MasterWatch watch;
    const auto since = core::steady_now();
    for (;; co_await net::pause(kReportPeriod)) {
      const auto report = co_await remote_->report();
      heard_ = core::steady_now();
      if (!report && is_refusal(report.error())) co_return give_up_following(report.error());
      if (!report) {
        if (said != std::exchange(said, report.error().message)) screen_.note(said);
        continue;
      }
      if (yarn::is_over(report->state)) co_return;
      show_waiting(*report);
      if (auto news = watch.saw(*report)) screen_.note(*std::move(news));
      if (report->state == yarn::AppState::running) {
        auto endpoint = co_await remote_->endpoint();
        if (endpoint && *endpoint) {
          master_.attach(**std::move(endpoint), report->attempt.attempt);
          co_return;
        }
      }
      const auto words = yarn::shorten_diagnostics(report->diagnostics);
      if (core::steady_now() - since < kQuietWait || words.empty() || said == words) continue;
      said = words;
      screen_.note(fmt::format("waiting for the job's master, {}: {}", to_string(report->state), words));
    }
  }

  // A terminal shows a clock from the first moment on, and the address of the application's page once.
  void show_waiting(const yarn::AppReport& report) {
    const bool is_for_people = screen_.mode() == ui::Mode::tty || screen_.mode() == ui::Mode::plain;
    if (is_for_people && !has_told_url_ && report.tracking_url.starts_with("http")) {
      has_told_url_ = true;
      screen_.note(fmt::format("tracking URL: {}", core::printable(report.tracking_url)));
    }
    if (screen_.mode() != ui::Mode::tty) return;
    ui::JobView waiting;
    waiting.id = folder_.id().str();
    waiting.state =
        core::Named<core::JobState>::parse(fmt::format("waiting for its master ({})", to_string(report.state)));
    waiting.submitted = submitted_;
    screen_.update(waiting);
  }

  // The job has ended: the ResourceManager knows when all of it is over.
  asio::awaitable<void> wait_for_end() {
    for (;; co_await net::pause(kReportPeriod)) {
      const auto report = co_await remote_->report();
      heard_ = core::steady_now();
      if (report && yarn::is_over(report->state)) co_return;
      if (report || !is_refusal(report.error())) continue;
      if (!end_) give_up_following(report.error());
      co_return;  // the job's last event has told its end
    }
  }

  void give_up_following(const core::Error& error) {
    const auto id = folder_.id().str();
    screen_.close();
    (void)core::write_all(STDERR_FILENO,
                          fmt::format("ydl: {0} cannot be followed any longer: {1}; the job may go on, and `ydl status "
                                      "{0}` shows it{2}\n",
                                      id, core::escaped_lines(error.message),
                                      is_refusal(error) ? " when you have logged in again (kinit)" : ""));
    left_ = true;
  }

  // A ResourceManager that is away is asked again and again, for a quarter of an hour by Hadoop's defaults.
  asio::awaitable<void> watch_silence() {
    heard_ = core::steady_now();
    for (bool said = false;; co_await net::pause(kReportPeriod)) {
      const bool is_silent = core::steady_now() - heard_ > kSilence;
      if (is_silent && !said) {
        screen_.note(fmt::format(
            "the ResourceManager has not answered for {}; it is asked again, and the job may go on meanwhile",
            core::format_duration(kSilence)));
      }
      said = is_silent;
    }
  }

  // False: neither the master nor the ResourceManager received the request.
  asio::awaitable<bool> stop_job(std::optional<core::Millis> grace) {
    using asio::experimental::awaitable_operators::operator||;
    grace_ = grace;
    if (master_.is_attached()) {
      const auto client = master_.connect();
      if (co_await client->stop(who_am_i(), grace)) co_return true;
    }
    if (!is_managed()) co_return !jobs::master_lives(folder_);  // one that is gone stopped its job
    const auto killed = co_await (remote_->kill(fmt::format("stopped by {}", who_am_i())) || net::pause(kStopPatience));
    co_return killed.index() == 0 && std::get<0>(killed).has_value();
  }

  void give_up_stopping() {
    const auto id = folder_.id().str();
    screen_.close();
    screen_.write(
        is_managed()
            ? fmt::format("neither the job's master nor the ResourceManager can be reached: {0} may run on; "
                          "`ydl kill {0}` stops it when they are back\n",
                          id)
            : fmt::format("the job's master does not answer: {} stops as soon as its process runs again\n", id));
    left_ = true;
  }

  void master_answered() {
    if (auto news = master_.answered()) screen_.note(*std::move(news));
  }

  // Until the job's last event, or until there is evidence that its master is gone: show_end reads what it left.
  asio::awaitable<void> follow_events() {
    auto client = master_.connect();
    for (std::uint64_t last = 0; !end_;) {  // the numbers of events go on from one master to the next
      const auto events = co_await client->events(last, kEventWait);
      if (!events) {
        const auto found = co_await master_.find(events.error());
        if (!found) co_return give_up_following(found.error());
        if (!*found) co_return;
        client = master_.connect();
        continue;
      }
      master_answered();
      co_await repeat_stop();
      for (const auto& event : *events) {
        last = std::max(last, event.seq);
        screen_.event(event);
        if (ui::end_of_job(event)) end_ = event;
      }
    }
  }

  // A master that was lost after it had heard of the stop may have written nothing down: the next one is told too.
  asio::awaitable<void> repeat_stop() {
    if (stopping_ && master_.take_change()) (void)co_await stop_job(grace_);
  }

  asio::awaitable<void> watch_contact() {
    for (;; co_await net::pause(kReportPeriod)) {
      if (auto notice = master_.notice()) screen_.note(*std::move(notice));
    }
  }

  asio::awaitable<void> begin() {
    const auto client = master_.connect();
    if (auto view = co_await client->job()) {
      screen_.begin(with_paths(*view));
      view_ = *std::move(view);
    }
  }

  asio::awaitable<void> refresh_tasks() {
    auto client = master_.connect();
    for (;;) {
      co_await net::pause(screen_.mode() == ui::Mode::tty ? kLiveRefresh : kPlainRefresh);
      if (const auto view = co_await client->job()) {
        master_answered();
        if (notice_ != view->notice && !view->notice.empty()) screen_.note(view->notice);
        notice_ = view->notice;
        view_ = *view;
        screen_.update(with_paths(*view));
      } else {
        client = master_.connect();
      }
    }
  }

  asio::awaitable<void> refresh_screen() {
    for (;;) {
      co_await net::pause(screen_.next_refresh());
      screen_.refresh();
    }
  }

  asio::awaitable<void> follow_logs() {
    for (;;) {
      if (lines_.shown().any() && remote_) {
        // Other errors pass or are told at the end; without a ticket no more lines come until then.
        const auto fetched = co_await remote_->fetch_logs(lines_.shown().only());
        screen_.lines_missing(!fetched && is_refusal(fetched.error()) ? &fetched.error() : nullptr);
      }
      const auto refresh = remote_ ? kRemoteLogRefresh : lines_.is_unchanged() ? kOutputRefresh : kLogRefresh;
      co_await net::pause(show_new_lines() ? core::Millis(0) : refresh);
    }
  }

  // True: there are more. The output of the only task waits until a question is answered.
  bool show_new_lines() { return !(is_asking_ && lines_.is_unchanged()) && lines_.show_new(); }

  asio::awaitable<void> watch_signals() {
    for (;;) {
      const auto [error, number] = co_await signals_.async_wait(net::tuple);
      if (error) co_return;
      if (options_.part == Part::watcher) co_return leave_watched_job();
      if (stopping_) {
        if (co_await stop_job(core::Millis(0))) continue;
        co_return give_up_stopping();
      }
      if (number == SIGHUP && is_managed() && leave()) co_return;  // losing the terminal does not stop the job
      const bool can_ask =
          number == SIGINT && screen_.mode() == ui::Mode::tty && ui::Screen(STDIN_FILENO).is_terminal();
      const auto answer = can_ask ? co_await ask() : ui::Answer::stop;
      if (answer == ui::Answer::carry_on) continue;
      if (answer == ui::Answer::leave && leave()) co_return;
      stopping_ = true;
      if (can_ask) screen_.footer({"stopping; Ctrl-C again stops without grace", "stopping"});
      if (!co_await stop_job(std::nullopt)) co_return give_up_stopping();
    }
  }

  asio::awaitable<ui::Answer> ask() {
    using asio::experimental::awaitable_operators::operator||;
    const bool is_tied = remote_ && !is_managed();  // an unmanaged master goes with its client
    ui::Question question(is_tied ? ui::Leaving::impossible : ui::Leaving::possible);
    const ui::SingleKeys keys(STDIN_FILENO);
    asio::posix::stream_descriptor input(context_, ::dup(STDIN_FILENO));
    is_asking_ = true;
    std::array<char, 64> buffer{};
    while (!question.answer()) {
      screen_.footer(question.texts());
      const auto what =
          co_await (input.async_read_some(asio::buffer(buffer), net::tuple) || signals_.async_wait(net::tuple));
      // The job ended before an answer came: what is read as the end of the input is our own doing.
      if ((co_await asio::this_coro::cancellation_state).cancelled() != asio::cancellation_type::none) break;
      if (what.index() == 1) {
        question.interrupt();
        continue;
      }
      const auto& [error, n] = std::get<0>(what);
      if (error)
        question.end_of_input();
      else
        question.input({buffer.data(), n});
    }
    is_asking_ = false;
    screen_.footer({});
    co_return question.answer().value_or(ui::Answer::carry_on);
  }

  // The master lets go of us, and the job goes on.
  bool leave() {
    if (options_.lifeline && !core::write_all(options_.lifeline.get(), "L")) return false;
    const auto id = folder_.id().str();
    screen_.close();
    screen_.write(fmt::format("left running: `ydl follow {0}` shows it again, `ydl kill {0}` stops it\n", id));
    left_ = true;
    exit_code_ = 0;
    return true;
  }

  void leave_watched_job() {
    if (screen_.mode() == ui::Mode::json && view_) screen_.finish(with_paths(*view_));
    screen_.close();
    const auto id = folder_.id().str();
    (void)core::write_all(STDERR_FILENO,
                          fmt::format("{0} goes on: `ydl follow {0}` shows it again, `ydl kill {0}` stops it\n", id));
    left_ = true;
    exit_code_ = kInterrupted;
  }

  asio::awaitable<void> show_end() {
    is_asking_ = false;
    // The last words of the job are on disk before its master goes; the view comes from whichever is there.
    for (int tries = 0; tries < 1000 && jobs::master_lives(folder_); ++tries) co_await net::pause(core::Millis(2));
    if (remote_) co_await fetch_remains();
    auto view = stored_job_view(folder_);
    if (!view) {
      screen_.write(fmt::format("ydl: {}\n", view.error().message));
      exit_code_ = 1;
      co_return;
    }
    const auto told = end_ ? ui::end_of_job(*end_) : std::nullopt;
    if (told && view->state == core::JobState::lost) {  // the folder's disk may be full
      view->state = *told;
      view->reason = end_->text;
      view->finished = end_->time;
      view->exit_code = end_->exit_code;
    }
    const auto backlog_end = core::steady_now() + kBacklogTime;
    while (show_new_lines() && !(stopping_ && core::steady_now() > backlog_end)) co_await net::pause(core::Millis(0));
    lines_.show_rest();
    if (const auto stored = read_events(folder_)) {
      for (const auto& event : stored->events) screen_.event(event);
    }
    if (view->state == core::JobState::failed) {
      if (const auto failure = failure_view(folder_)) screen_.failure(*failure);
    }
    if (!co_await has_results(*view)) view->results_path.clear();
    screen_.finish(with_paths(*view));
    exit_code_ = view->exit_code.value_or(view->state == core::JobState::succeeded ? 0 : 1);
  }

  // What is shown at the end: all logs where they are shown as they come, else those of the task that failed.
  asio::awaitable<void> fetch_remains() {
    const auto done = is_managed() ? co_await remote_->fetch_records() : co_await end_masterless(*remote_, {});
    if (!done) screen_.note(done.error().message);
    const auto state = jobs::read_state_file(folder_);
    const auto cause = state ? state->cause : "";
    if (lines_.shown().any()) {
      if (const auto logs = co_await remote_->fetch_logs(lines_.shown().only()); !logs)
        screen_.note(logs.error().message);
    }
    const auto failed = core::TaskId::parse(cause);
    if (!failed || (lines_.shown().any() && lines_.shown().has(*failed))) co_return;
    if (const auto logs = co_await remote_->fetch_logs(cause); !logs) screen_.note(logs.error().message);
  }

  // Every task has a folder for results, also where it leaves nothing in it.
  asio::awaitable<bool> has_results(const ui::JobView& view) {
    if (remote_) co_return co_await remote_->has_results();
    co_return has_file(view.results_path);
  }

  [[nodiscard]] ui::JobView with_paths(ui::JobView view) const {
    if (view.logs_path.empty()) view.logs_path = folder_.logs().string();
    if (remote_) view.queue = remote_->job().queue;
    return view;
  }

  asio::io_context& context_;
  jobs::JobFolder folder_;
  std::optional<RemoteJob> remote_;  // of a job on a cluster
  FollowOptions options_;
  FollowScreen screen_;
  FollowedLines lines_;
  AttachedMaster master_;
  asio::signal_set signals_;
  std::string notice_;               // of the job's view
  std::optional<ui::JobView> view_;  // as the master last gave it
  core::WallTime submitted_ = core::wall_now();
  bool has_told_url_ = false;
  bool left_ = false;
  bool is_asking_ = false;
  bool stopping_ = false;
  std::optional<core::Millis> grace_;  // of the last stop
  core::Instant heard_ = {};           // when the ResourceManager last answered
  std::optional<ui::EventView> end_;   // the event that told the job's end
  int exit_code_ = 1;                  // unless the job, or leaving it, says otherwise
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
