#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "cli/commands/foreign.hpp"
#include "client/log_reader.hpp"
#include "client/yarn/master_loss.hpp"
#include "client/yarn/remote_job.hpp"
#include "core/files.hpp"
#include "jobs/job_folder.hpp"
#include "net/asio.hpp"
#include "net/spawn.hpp"
#include "ui/json.hpp"
#include "ui/screen.hpp"
#include "ui/text.hpp"

#include <set>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

constexpr core::Millis kPollPeriod{150};
constexpr core::Millis kRemotePollPeriod{700};

// One task's lines come as they are, its stderr on ours; those of several tasks come with their names before them. A
// terminal gets no control characters: they are a task's, and may come from data that it read.
class Printer {
 public:
  Printer(const Logs& command, std::string job)
      : json_(wants_json(command.common)), prefixed_(command.task.empty()), job_(std::move(job)) {}

  void operator()(const ui::LogLine& line) const {
    if (json_) return print(ui::json_log_line(line, job_));
    const int fd = !prefixed_ && line.stream == "stderr" ? STDERR_FILENO : STDOUT_FILENO;
    const bool is_terminal = fd == STDERR_FILENO ? error_is_terminal_ : output_is_terminal_;
    const auto text = is_terminal ? ui::clean(line.text) : line.text;
    (void)core::write_all(fd, prefixed_ ? fmt::format("[{}] {}\n", line.task.str(), text) : text + "\n");
  }

 private:
  bool json_;
  bool prefixed_;
  std::string job_;
  bool output_is_terminal_ = ui::Screen(STDOUT_FILENO).is_terminal();
  bool error_is_terminal_ = ui::Screen(STDERR_FILENO).is_terminal();
};

net::awaitable<bool> runs(client::RemoteJob& job, client::MasterWatch& watch) {
  const auto report = co_await job.report();
  if (const auto news = report ? watch.saw(*report) : std::nullopt) note(*news);
  co_return !report || !yarn::is_over(report->state);
}

net::awaitable<void> follow(const jobs::JobFolder& folder, std::string task, client::LogReader& reader,
                            const Printer& printer) {
  auto remote = client::RemoteJob::of(co_await net::asio::this_coro::executor, folder);
  const bool is_remote = remote && *remote;
  const bool is_managed = is_remote && (*remote)->job().kind == backend::MasterKind::managed;
  client::MasterWatch watch;
  while (is_managed ? co_await runs(**remote, watch) : jobs::master_lives(folder)) {
    if (is_remote) {
      if (auto fetched = co_await (*remote)->fetch_logs(task); !fetched) complain(fetched.error());
    }
    const bool has_more = reader.poll(printer);
    co_await net::pause(has_more ? core::Millis(0) : is_remote ? kRemotePollPeriod : kPollPeriod);
  }
  if (is_remote) (*remote)->close();
}

core::Result<void> check_task(const jobs::JobFolder& folder, const std::string& text) {
  const auto job = jobs::read_job_file(folder);
  if (!job) return core::fail(job.error());
  const auto task = find_task(*job, text);
  if (!task) return core::fail(task.error());
  return {};
}

core::Error no_such_attempt(const Logs& command, const std::set<int>& attempts) {
  const auto there = attempts.empty()
                         ? std::string("there are no logs yet")
                         : fmt::format("there {} {}", attempts.size() == 1 ? "is" : "are", fmt::join(attempts, ", "));
  return {core::Errc::not_found,
          command.task.empty() ? fmt::format("no task has logs of attempt {}; {}", command.attempt, there)
                               : fmt::format("{} has no logs of attempt {}; {}", command.task, command.attempt, there)};
}

}  // namespace

int execute(const Logs& command) {
  if (const auto code = show_foreign(command)) return *code;
  const auto folder = folder_of(command.job);
  if (!folder) return complain(folder.error());
  if (!command.task.empty()) {
    if (auto known = check_task(*folder, command.task); !known) return complain(known.error());
  }
  client::LogReader reader(*folder, {command.task, command.stream, command.attempt});
  const Printer printer(command, folder->id().str());
  if (command.follow) {
    net::asio::io_context context(1);
    net::spawn(context.get_executor(), "following the logs", follow(*folder, command.task, reader, printer));
    context.run();
  }
  int code = 0;
  if (auto fresh = client::refresh(*folder, command.task); !fresh) code = complain(fresh.error());
  while (!reader.drain(printer)) {
  }
  if (command.attempt != 0 && !reader.attempts().contains(command.attempt))
    return complain(no_such_attempt(command, reader.attempts()));
  return code;
}

}  // namespace ydl::cli
