#include "client/cluster_wait.hpp"

#include "client/yarn/master_loss.hpp"
#include "core/strings.hpp"
#include "core/utf8.hpp"
#include "job/types.hpp"
#include "ui/words.hpp"
#include "yarn/diagnostics.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace ydl::client {
namespace {

constexpr core::Millis kReportPeriod{200};
constexpr core::Millis kQuietWait{3'000};  // for a container that comes as fast as it can
constexpr core::Millis kSilence{15'000};   // then it is shown that the ResourceManager does not answer

}  // namespace

ClusterWait::ClusterWait(FollowedJob& job) : job_(job) {
  if (const auto file = jobs::read_job_file(job_.folder)) submitted_ = file->created;
}

net::awaitable<void> ClusterWait::wait_for_master() {
  std::string said;
  MasterWatch watch;
  const auto since = core::steady_now();
  for (;; co_await net::pause(kReportPeriod)) {
    const auto report = co_await job_.remote->report();
    heard_ = core::steady_now();
    if (!report && is_refusal(report.error())) co_return job_.give_up(report.error());
    if (!report) {
      if (said != std::exchange(said, report.error().message)) job_.screen.note(said);
      continue;
    }
    if (yarn::is_over(report->state)) co_return;
    show_waiting(*report);
    if (auto news = watch.saw(*report)) job_.screen.note(*std::move(news));
    if (report->state == yarn::AppState::running) {
      auto endpoint = co_await job_.remote->endpoint();
      if (endpoint && *endpoint) {
        job_.master.attach(**std::move(endpoint), report->attempt.attempt);
        co_return;
      }
    }
    const auto words = yarn::shorten_diagnostics(report->diagnostics);
    if (core::steady_now() - since < kQuietWait || words.empty() || said == words) continue;
    said = words;
    job_.screen.note(fmt::format("waiting for the job's master, {}: {}", to_string(report->state), words));
  }
}

// A terminal shows a clock from the first moment on, and the address of the application's page once.
void ClusterWait::show_waiting(const yarn::AppReport& report) {
  const auto mode = job_.screen.mode();
  const bool is_for_people = mode == ui::Mode::tty || mode == ui::Mode::plain;
  if (is_for_people && !has_told_url_ && report.tracking_url.starts_with("http")) {
    has_told_url_ = true;
    job_.screen.note(fmt::format("tracking URL: {}", core::printable(report.tracking_url)));
  }
  if (mode != ui::Mode::tty) return;
  ui::JobView waiting;
  waiting.id = job_.folder.id().str();
  waiting.state =
      core::Named<core::JobState>::parse(fmt::format("waiting for its master ({})", to_string(report.state)));
  waiting.submitted = submitted_;
  job_.screen.update(waiting);
}

net::awaitable<void> ClusterWait::wait_for_end() {
  for (;; co_await net::pause(kReportPeriod)) {
    const auto report = co_await job_.remote->report();
    heard_ = core::steady_now();
    if (report && yarn::is_over(report->state)) co_return;
    if (report || !is_refusal(report.error())) continue;
    if (!job_.end) job_.give_up(report.error());
    co_return;  // the job's last event has told its end
  }
}

net::awaitable<void> ClusterWait::watch_silence() {
  heard_ = core::steady_now();
  for (bool said = false;; co_await net::pause(kReportPeriod)) {
    const bool is_silent = core::steady_now() - heard_ > kSilence;
    if (is_silent && !said) {
      job_.screen.note(
          fmt::format("the ResourceManager has not answered for {}; it is asked again, and the job may go on meanwhile",
                      core::format_duration(kSilence)));
    }
    said = is_silent;
  }
}

}  // namespace ydl::client
