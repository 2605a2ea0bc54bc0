#include "master/process_parts.hpp"

#include "agent/process/tree_killer.hpp"
#include "core/descriptors.hpp"
#include "core/files.hpp"
#include "core/log.hpp"
#include "jobs/master_trace.hpp"
#include "net/child_process.hpp"
#include "net/spawn.hpp"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <sys/prctl.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <fmt/format.h>

namespace ydl::master {
namespace {

namespace asio = net::asio;

constexpr std::uint64_t kOtherDescriptors = 64;  // clients, HDFS, NodeManagers, files
constexpr std::uint64_t kPageDescriptors = 32;   // connections to the job's page

struct Need {
  std::uint64_t per_task = 0;
  std::uint64_t others = 0;
};

core::Result<void> check_descriptors(const JobPlan& plan, const Need& need) {
  std::uint64_t tasks = 0;
  for (const auto& role : plan.roles) tasks += static_cast<std::uint64_t>(role.count);
  return core::check_descriptors(fmt::format("a job of {} tasks", tasks), tasks * need.per_task + need.others,
                                 core::descriptor_limit());
}

net::awaitable<void> watch_lifeline(Master& master) {
  asio::posix::stream_descriptor lifeline(co_await asio::this_coro::executor,
                                          ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  char byte = 0;
  const auto [error, n] = co_await lifeline.async_read_some(asio::buffer(&byte, 1), net::tuple);
  if (!error && byte == 'L') {
    core::log("the client has left; the job continues");
    co_return;
  }
  core::log("the client has ended");
  master.request_stop("because the ydl client that started it exited", std::nullopt);
}

net::awaitable<void> watch_signals(Master& master) {
  asio::signal_set signals(co_await asio::this_coro::executor, SIGTERM, SIGINT, SIGHUP);
  for (;;) {
    const auto [error, number] = co_await signals.async_wait(net::tuple);
    if (error) co_return;
    // A NodeManager sends SIGTERM to a master for many reasons, and YARN then starts another one.
    if (master.can_be_taken_over()) co_return master.leave(fmt::format("signal {}", number));
    master.request_stop(fmt::format("because its master received signal {}", number), std::nullopt);
  }
}

net::awaitable<void> run_job(Master& master, http::Server& server, int& exit_code) {
  const auto outcome = co_await master.run();
  exit_code = outcome.exit_code;
  agent::kill_leftovers({});  // processes of tasks whose agent and reaper were killed together
  // A follower that cannot call this master any more finds the end on the disk, unless the disk is full.
  if (master.lacks_records()) co_await master.journal().wait_told(core::Seconds(2));
  co_await server.drain(core::Seconds(2));
  server.close();
}

std::string internal_error(std::string_view what) {
  core::log("{}", what);
  return fmt::format("internal error in the job's master: {}", what);
}

// The event loop stops with the job. An exception from run_job() has ended the coroutine that waits for the job's end,
// so the job is failed here, once. If that fails too, clients find that the master has ended.
net::awaitable<void> run_job_then_stop(asio::io_context& context, Master& master, http::Server& server,
                                       int& exit_code) {
  std::string problem;
  try {
    co_await run_job(master, server, exit_code);
  } catch (const std::exception& error) {
    problem = fmt::format("running the job failed: {}", error.what());
  }
  try {
    if (!problem.empty()) {
      exit_code = (co_await master.fail_and_close(internal_error(problem))).exit_code;
      agent::kill_leftovers({});
    }
  } catch (const std::exception& error) {
    core::log("ending the job failed too: {}", error.what());
  }
  context.stop();
}

}  // namespace

core::Result<PreparedJob> prepare_job(const jobs::JobFolder& folder, const FindCommand& find_command) {
  auto lock = core::Result<core::UniqueFd>(jobs::handed_lock(folder, net::kHandedOver));
  if (!*lock) lock = jobs::lock_job(folder);
  if (!lock) return core::fail(lock.error());
  auto job = jobs::read_job_file(folder);
  if (!job) return core::fail(job.error());
  auto plan = make_plan(job->spec, find_command, job->cluster);
  if (!plan) return core::fail(plan.error());
  (void)lock->release();  // the lock ends with the process, so its release proves that the process has ended
  return PreparedJob{*std::move(job), *std::move(plan)};
}

core::Result<void> check_descriptors_of_master(const JobPlan& plan) {
  return check_descriptors(
      plan, {.per_task = 1, .others = http::Limits{}.unauthenticated + kPageDescriptors + kOtherDescriptors});
}

// For each task: a socket to its reaper and a duplicate of it, two logs, and two for a port.
core::Result<void> check_descriptors_of_agent(const JobPlan& plan) {
  return check_descriptors(plan, {.per_task = 6, .others = kOtherDescriptors});
}

void begin_master_process() {
  ::prctl(PR_SET_NAME, "ydl-master");
  ::signal(SIGPIPE, SIG_IGN);
  agent::adopt_orphans();
}

int run_to_the_end(asio::io_context& context, Master& master, http::Server& server, Attachment attachment) {
  const auto executor = context.get_executor();
  int exit_code = 1;
  server.on_refusals([&master](std::string line) {
    if (!master.finished()) master.note(std::move(line));
  });
  net::spawn(executor, "running the job", run_job_then_stop(context, master, server, exit_code));
  net::spawn(executor, "watching signals", watch_signals(master));
  if (attachment == Attachment::attached) net::spawn(executor, "watching the client", watch_lifeline(master));
  net::run_loop(context,
                [&master](const net::BackgroundFailure& failure) { master.fail(internal_error(failure.what())); });
  std::error_code ignored;
  std::filesystem::remove(master.folder().master_file(), ignored);  // it contains a secret that is no longer valid
  return exit_code;
}

void report_start(std::string_view line) {
  (void)core::write_all(STDOUT_FILENO, fmt::format("{}\n", line));
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

}  // namespace ydl::master
