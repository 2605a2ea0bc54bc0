#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "cli/commands/foreign.hpp"
#include "cli/commands/log_files.hpp"
#include "cli/commands/log_printer.hpp"
#include "client/log_merge.hpp"
#include "client/views.hpp"
#include "client/yarn/master_loss.hpp"
#include "client/yarn/remote_job.hpp"
#include "jobs/job_folder.hpp"
#include "net/asio.hpp"
#include "net/spawn.hpp"
#include "ui/screen.hpp"
#include "ui/words.hpp"

#include <algorithm>
#include <set>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

constexpr core::Millis kPollPeriod{150};
constexpr core::Millis kRemotePollPeriod{700};

// The lines of the job's logs that the command asks for.
class Lines {
 public:
  Lines(const Logs& command, const jobs::JobFolder& folder, LogFormat::Options format)
      : merge_(folder, {.filter = {command.task, command.stream, command.attempt},
                        .since = command.since,
                        .tail = command.tail,
                        .grep = command.grep}),
        printer_(command, folder.id().str(), format) {}

  // What has been added since the last time. False: standard output is closed.
  bool show(client::LogMerge::LastLine last_line) {
    if (is_closed_) return false;
    merge_.read(
        [&](const client::LogPart& part) {
          is_closed_ = !printer_.print(
              {part.file.task, part.file.stream, part.text, part.ends_line, part.time, part.file.attempt});
          return !is_closed_;
        },
        last_line, core::wall_now());
    printer_.flush();
    return !is_closed_;
  }
  [[nodiscard]] const client::LogMerge& merge() const { return merge_; }

 private:
  client::LogMerge merge_;
  LogPrinter printer_;
  bool is_closed_ = false;
};

net::awaitable<bool> runs(client::RemoteJob& job, client::MasterWatch& watch) {
  const auto report = co_await job.report();
  if (const auto news = report ? watch.saw(*report) : std::nullopt) note(*news);
  co_return !report || !yarn::is_over(report->state);
}

net::awaitable<void> follow(const jobs::JobFolder& folder, std::string task, Lines& lines) {
  auto remote = client::RemoteJob::of(co_await net::asio::this_coro::executor, folder);
  const bool is_remote = remote && *remote;
  const bool is_managed = is_remote && (*remote)->job().kind == backend::MasterKind::managed;
  client::MasterWatch watch;
  while (is_managed ? co_await runs(**remote, watch) : jobs::master_lives(folder)) {
    if (is_remote) {
      if (auto fetched = co_await (*remote)->fetch_logs(task, client::RemoteJob::LogTimes::fetch); !fetched)
        complain(fetched.error());
    }
    if (!lines.show(client::LogMerge::LastLine::wait)) break;
    co_await net::pause(is_remote ? kRemotePollPeriod : kPollPeriod);
  }
  if (is_remote) (*remote)->close();
}

// How the job ended, for people: beside the lines on a terminal, else on standard error.
void tell_end(const jobs::JobFolder& folder) {
  const auto job = client::stored_job_view(folder);
  if (!job) return;
  const bool is_terminal = ui::Screen(STDOUT_FILENO).is_terminal();
  const int fd = is_terminal ? STDOUT_FILENO : STDERR_FILENO;
  const auto style = ui::Screen(fd).is_terminal() ? ui::terminal_style() : ui::Style{};
  (void)ui::Screen(fd).write(ui::finish_lines(*job, core::wall_now()).front().whole(style) + "\n");
}

// The task or role that the command names; the longest name of the tasks that it means.
core::Result<std::size_t> check_tasks(const jobs::JobFolder& folder, const std::string& wanted) {
  const auto job = jobs::read_job_file(folder);
  if (!job) return wanted.empty() ? core::Result<std::size_t>(0) : core::fail(job.error());
  std::size_t width = 0;
  for (const auto& role : job->spec.roles) {
    if (!wanted.empty() && wanted != role.name) continue;
    width = std::max(width, core::TaskId{role.name, std::max(role.count - 1, 0)}.str().size());
  }
  if (width > 0 || wanted.empty()) return width;
  const auto task = find_task(*job, wanted);
  if (!task) return core::fail(task.error());
  return task->str().size();
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
  auto format = LogPrinter::format_of(command);
  const auto width = check_tasks(*folder, command.task);
  if (!width) return complain(width.error());
  format.name_width = *width;
  Lines lines(command, *folder, format);
  if (command.follow) {
    net::asio::io_context context(1);
    net::spawn(context.get_executor(), "following the logs", follow(*folder, command.task, lines));
    context.run();
  }
  int code = 0;
  if (auto fresh = client::refresh(*folder, command.task); !fresh) code = complain(fresh.error());
  if (!command.target.empty()) return code == 0 ? copy_logs(command, *folder) : code;
  const bool is_read = lines.show(client::LogMerge::LastLine::give);
  if (command.attempt != 0 && !lines.merge().attempts().contains(command.attempt))
    return complain(no_such_attempt(command, lines.merge().attempts()));
  if (const auto count = lines.merge().without_times(); command.since && count > 0) {
    note(count == 1 ? std::string("1 log has no times, so --since shows all of its lines")
                    : fmt::format("{} logs have no times, so --since shows all of their lines", count));
  }
  // A reader that closed its end, as `head` does, ends this command and not the job.
  if (command.follow && is_read) tell_end(*folder);
  return code;
}

}  // namespace ydl::cli
