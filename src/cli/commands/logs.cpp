#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "cli/commands/foreign.hpp"
#include "client/log_reader.hpp"
#include "client/yarn/remote_job.hpp"
#include "core/files.hpp"
#include "jobs/job_folder.hpp"
#include "net/asio.hpp"
#include "net/spawn.hpp"

#include <set>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

constexpr core::Millis kPollPeriod{150};
constexpr core::Millis kRemotePollPeriod{700};

// One task's lines come as they are, its stderr on ours; those of several tasks come with their names before them.
class Printer {
 public:
  explicit Printer(bool prefixed) : prefixed_(prefixed) {}

  void operator()(const ui::LogLine& line) const {
    const auto text = prefixed_ ? fmt::format("[{}] {}\n", line.task.str(), line.text) : line.text + "\n";
    (void)core::write_all(!prefixed_ && line.stream == "stderr" ? STDERR_FILENO : STDOUT_FILENO, text);
  }

 private:
  bool prefixed_;
};

net::awaitable<bool> runs(client::RemoteJob& job) {
  const auto report = co_await job.report();
  co_return !report || !yarn::is_over(report->state);
}

net::awaitable<void> follow(const jobs::JobFolder& folder, std::string task, client::LogReader& reader,
                            const Printer& printer) {
  auto remote = client::RemoteJob::of(co_await net::asio::this_coro::executor, folder);
  const bool is_remote = remote && *remote;
  while (is_remote ? co_await runs(**remote) : jobs::master_lives(folder)) {
    if (is_remote) {
      if (auto fetched = co_await (*remote)->fetch_logs(task); !fetched) complain(fetched.error());
    }
    reader.poll(printer);
    co_await net::pause(is_remote ? kRemotePollPeriod : kPollPeriod);
  }
  if (is_remote) (*remote)->close();
}

core::Result<void> check_task(const jobs::JobFolder& folder, const std::string& text) {
  const auto task = core::TaskId::parse(text);
  if (!task) return core::fail(task.error());
  const auto job = jobs::read_job_file(folder);
  if (!job) return core::fail(job.error());
  std::vector<std::string> roles;
  for (const auto& role : job->spec.roles) {
    if (role.name == task->role && task->index < role.count) return {};
    roles.push_back(role.count == 1 ? fmt::format("{}:0", role.name)
                                    : fmt::format("{}:0 to {}:{}", role.name, role.name, role.count - 1));
  }
  return core::fail(core::Errc::not_found,
                    fmt::format("job {} has no task {}; it has {}", folder.id().str(), text, fmt::join(roles, ", ")));
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
  const Printer printer(command.task.empty());
  if (command.follow) {
    net::asio::io_context context(1);
    net::spawn(context.get_executor(), "following the logs", follow(*folder, command.task, reader, printer));
    context.run();
  }
  int code = 0;
  if (auto fresh = client::refresh(*folder, command.task); !fresh) code = complain(fresh.error());
  reader.drain(printer);
  return code;
}

}  // namespace ydl::cli
