// What the scheduler costs: simulated nodes in one process register with a scheduler in another, over loopback, and
// pass barriers.
//
//   pslite_bench [nodes = 256] [barriers = 1000]
#include "core/files.hpp"
#include "core/strings.hpp"
#include "pslite/scheduler.hpp"
#include "support/pslite_node.hpp"

#include <chrono>
#include <memory>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

namespace {

namespace asio = boost::asio;
using namespace ydl;  // NOLINT: a program of one file
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Runs a scheduler until the job has finished; its port goes through the pipe.
int serve(int nodes, int port_pipe) {
  asio::io_context io(1);
  int code = 1;
  pslite::SchedulerOptions options;
  options.job.workers = (nodes + 1) / 2;
  options.job.servers = nodes / 2;
  options.vouches_for = [](const std::string&) { return true; };
  options.notify = [&](const pslite::Notice& notice) {
    if (const auto* failed = std::get_if<pslite::Failed>(&notice)) fmt::print(stderr, "{}\n", failed->sentence);
    if (std::holds_alternative<pslite::Finished>(notice)) code = 0;
    if (code == 0 || std::holds_alternative<pslite::Failed>(notice)) io.stop();
  };
  auto scheduler = pslite::Scheduler::listen(io.get_executor(), std::move(options));
  if (!scheduler) {
    fmt::print(stderr, "{}\n", scheduler.error().message);
    return 1;
  }
  const std::uint16_t port = (*scheduler)->port();
  if (::write(port_pipe, &port, sizeof port) != sizeof port) return 1;
  io.run();
  return code;
}

struct Times {
  Clock::time_point start = Clock::now();
  int registered = 0;
  double registered_ms = 0;
  Clock::time_point barriers_start;
  double barriers_ms = 0;
};

asio::awaitable<void> live(testing::PsliteNode& node, int nodes, int barriers, Times& times) {
  co_await node.join();
  co_await node.barrier(pslite::kAllGroups);
  if (++times.registered == nodes) {
    times.registered_ms = ms_since(times.start);
    times.barriers_start = Clock::now();
  }
  for (int i = 0; i < barriers; ++i) co_await node.barrier(pslite::kWorkerGroup + pslite::kServerGroup);
  times.barriers_ms = ms_since(times.barriers_start);
  co_await node.barrier(pslite::kAllGroups);
}

void rethrow(const std::exception_ptr& error) {
  if (error) std::rethrow_exception(error);
}

}  // namespace

int main(int argc, char** argv) {
  const int nodes = argc > 1 ? core::parse_int<int>(argv[1]).value_or(256) : 256;
  const int barriers = argc > 2 ? core::parse_int<int>(argv[2]).value_or(1000) : 1000;
  auto pipe = core::make_pipe();
  if (!pipe) return 1;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(serve(nodes, pipe->write.get()));
  std::uint16_t port = 0;
  if (::read(pipe->read.get(), &port, sizeof port) != sizeof port) return 1;

  asio::io_context io(1);
  Times times;
  std::vector<std::unique_ptr<testing::PsliteNode>> all;
  for (int i = 0; i < nodes; ++i) {
    const auto role = i % 2 == 0 ? pslite::Role::worker : pslite::Role::server;
    all.push_back(std::make_unique<testing::PsliteNode>(io.get_executor(), role, port));
    asio::co_spawn(io, live(*all.back(), nodes, barriers, times), rethrow);
  }
  while (times.barriers_ms == 0 || all.empty()) io.run_one();
  int status = 0;
  struct rusage usage{};
  while (::wait4(child, &status, WNOHANG, &usage) == 0) io.poll_one();

  const double cpu_ms = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
                        static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
  fmt::print("{} nodes: registered and through the start barrier in {:.1f} ms\n", nodes, times.registered_ms);
  fmt::print("{} barriers of all of them: {:.3f} ms each, {:.2f} us per node\n", barriers, times.barriers_ms / barriers,
             times.barriers_ms * 1e3 / barriers / nodes);
  fmt::print("scheduler process: {:.1f} ms of CPU in all, {} peak memory\n", cpu_ms,
             core::format_bytes(static_cast<std::uint64_t>(usage.ru_maxrss) << 10U));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
