// How a task ends: its results are saved, or it is warned, stopped or given up.
#include "agent/process/handled_signals.hpp"
#include "agent/process/stacks.hpp"
#include "agent/task.hpp"
#include "core/log.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include <fmt/format.h>

namespace ydl::agent {

void Task::ended(const job::ExitStatus& status, int leftovers) {
  protocol::TaskExited exited{request_.attempt, status, was_stopped_ ? 0 : leftovers, {}};
  if (const auto& cgroup = resources_.cgroup()) {
    exited.status.out_of_memory = !status.ok() && cgroup->oom_killed();
    exited.status.memory_limit = request_.memory_limit;
    exited.status.peak_memory = std::max(status.peak_memory, cgroup->peak_memory().value_or(0));
  }
  if (was_terminated_ && !exited.status.out_of_memory) exited.status.cause = job::Cause::preempted;
  spawn("saving results", save(std::move(exited)));
}

net::awaitable<void> Task::save(protocol::TaskExited exited) {
  spawn("reporting that results are saved", report_saving());
  co_await image_.remove();
  departs_.processes->tell();
  log_.read();
  log_.note_times(core::steady_now(), core::wall_now());
  log_.finish_times();
  exited.status.last_line = log_.final_line();
  co_await saves_.finish();
  exited.problem = co_await saving_.run(exited.status, preparation_.fetched_results());
  departs_.departure->results = saving_.saved_results();
  if (exited.problem.empty()) co_await saves_.remove();
  context_.report(std::move(exited));
}

net::awaitable<void> Task::report_saving() {
  co_await saving_.report_until_done();
}

// Programs may look for the file. SIGTERM is sent only to processes that handle it, because it would end all others.
void Task::warn(const protocol::Warn& warning) {
  if (!running()) return;
  if (auto written = warning_.write(warning, core::wall_now()); !written)
    core::log("{}: {}", request_.attempt.str(), written.error().message);
  saves_.save_often(warning.within);
  if (warning.task == request_.attempt.task && signal_handlers(process_->reaper_pid(), SIGTERM) > 0)
    was_terminated_ = true;
}

void Task::call_off() {
  warning_.remove();
  saves_.save_as_before();
}

void Task::tell_scheduler(const protocol::SchedulerExpect& command) {
  if (scheduler_) scheduler_->expect(command);
}

void Task::tell_scheduler(const protocol::SchedulerEnded& command) {
  if (scheduler_) scheduler_->ended(command);
}

void Task::stop(const protocol::Stop& command) {
  if (!running()) return;
  was_stopped_ = true;
  if (command.writes_stacks && !std::exchange(writes_stacks_, true)) {
    spawn("writing the stacks of a task", write_stacks_and_stop(command.grace));
    return;
  }
  if (!writes_stacks_ || command.grace == core::Millis(0)) process_->stop(command.grace);
}

net::awaitable<void> Task::write_stacks_and_stop(core::Millis grace) {
  constexpr core::Millis kPythonPrints = core::Seconds(2);
  if (!running()) co_return;
  const auto file = std::filesystem::path(request_.log_directory) / kStacksFile;
  auto written = std::make_shared<core::Result<std::vector<pid_t>>>();
  const StacksRequest request{.root = process_->reaper_pid(),
                              .file = file,
                              .heading = fmt::format("{}, {}: the task hangs. Its processes:", request_.attempt.str(),
                                                     core::format_utc(core::wall_now())),
                              .path = path_};
  const auto ran = co_await context_.machine.preparer().run(
      [written, request](const std::stop_token&) { *written = write_stacks(request); });
  if (ran && *written) {
    saving_.copy_stacks();
    const auto where =
        request_.remote_logs.empty() ? file.string() : fmt::format("{}/{}", request_.remote_logs, kStacksFile);
    context_.report(protocol::Note{request_.attempt, fmt::format("the stacks of its processes are in {}", where)});
    for (const auto pid : **written) abort_python(pid);
    const auto deadline = core::steady_now() + kPythonPrints;
    while (!(*written)->empty() && running() && core::steady_now() < deadline) co_await net::pause(core::Millis(20));
  } else {
    core::log("{}: {}", request_.attempt.str(), (ran ? written->error() : ran.error()).message);
  }
  if (running()) process_->stop(grace);
}

void Task::kill() {
  if (!running()) return;
  was_stopped_ = true;
  process_->kill();
}

void Task::end() {
  const pid_t reaper = reaper_pid();
  if (running()) {
    process_->kill();
    image_.remove_now();
  }
  process_.reset();  // ends all processes that still run
  context_.machine.remove_reaper(reaper);
}

void Task::give_up() {
  kill();
  scheduler_.reset();
  copying_.cancelled = true;
  saves_.cancel();
  saving_.cancel();
  if (process_ == nullptr) departs_.processes->tell();
}

}  // namespace ydl::agent
