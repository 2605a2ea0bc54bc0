#include "agent/process/run_program.hpp"

#include "agent/process/launch_request.hpp"
#include "agent/process/shebang.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "net/child_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

constexpr std::size_t kOutputLimit = std::size_t{1} << 20U;

// Reads until the pipe is closed. Returns nothing if that takes too long.
std::optional<std::string> read_until(int fd, core::Instant deadline) {
  std::string text;
  std::array<char, 4096> bytes{};
  for (;;) {
    const auto left = std::max(deadline - core::steady_now(), core::Millis(0));
    pollfd readable{fd, POLLIN, 0};
    const int ready = ::poll(&readable, 1, static_cast<int>(left.count()));
    if (ready == 0) return std::nullopt;
    const auto n = ready < 0 ? -1 : ::read(fd, bytes.data(), bytes.size());
    if (n == 0 || (n < 0 && errno != EINTR)) return text;
    const auto room = kOutputLimit - text.size();
    if (n > 0) text.append(bytes.data(), std::min(static_cast<std::size_t>(n), room));
  }
}

// The wait status, or nothing if the process does not end in time.
std::optional<int> wait_until(pid_t pid, core::Instant deadline) {
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR)) return status;
    if (core::steady_now() >= deadline) return std::nullopt;
    ::poll(nullptr, 0, 1);
  }
}

}  // namespace

std::optional<std::string> find_program(const std::string& name, std::string_view path) {
  const auto found = first_executable(candidates(name, path), {});
  if (!found) return std::nullopt;
  return found->string();
}

core::Result<ProgramResult> run_program(std::vector<std::string> argv, core::Millis limit) {
  auto pipe = core::make_pipe();
  if (!pipe) return core::fail(std::move(pipe.error()));
  const auto name = argv.front();
  net::SpawnOptions options;
  options.executable = name;
  options.argv = std::move(argv);
  options.standard_output = std::move(pipe->write);
  const auto process = net::ChildProcess::spawn(std::move(options));
  if (!process) return core::fail(process.error());
  const auto deadline = core::steady_now() + limit;
  auto output = read_until(pipe->read.get(), deadline);
  auto status = output ? wait_until(process->pid(), deadline) : std::nullopt;
  if (!status) {
    process->signal(SIGKILL);
    // A process that hangs in a driver may not even react to SIGKILL, so this does not wait for its end.
    status = wait_until(process->pid(), core::steady_now() + core::Millis(200));
    return core::fail(core::Errc::timeout,
                      fmt::format("{} did not end within {} and was killed", name, core::format_duration(limit)));
  }
  const int code = WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status);
  return ProgramResult{code, std::move(*output)};
}

}  // namespace ydl::agent
