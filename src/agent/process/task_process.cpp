#include "agent/process/task_process.hpp"

#include "agent/process/launch_error.hpp"
#include "agent/process/reaper.hpp"
#include "agent/process/spawn.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace ydl::agent {
namespace {

// A reaper that does not answer for this long after the order to kill is killed itself. Its processes become children
// of the agent.
constexpr auto kCloseLimit = core::Millis(15'000);

struct Ends {
  core::UniqueFd agent;
  core::UniqueFd reaper;
};

// The reaper replaces descriptors 0 to 2, so the socket must not be one of them.
core::Result<core::UniqueFd> above_standard(core::UniqueFd fd) {
  if (fd.get() > STDERR_FILENO) return fd;
  core::UniqueFd moved(::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!moved) return core::fail(core::system_error(errno, "cannot make a socket for a task"));
  return moved;
}

core::Result<Ends> make_socket() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return core::fail(core::system_error(errno, "cannot make a socket for a task"));
  }
  auto agent = above_standard(core::UniqueFd(ends[0]));
  auto reaper = above_standard(core::UniqueFd(ends[1]));
  if (!agent) return core::fail(agent.error());
  if (!reaper) return core::fail(reaper.error());
  return Ends{std::move(*agent), std::move(*reaper)};
}

Ended ended_of(const ReaperReport& report) {
  Ended ended;
  if (WIFSIGNALED(report.wait_status)) {
    ended.signal = WTERMSIG(report.wait_status);
  } else {
    ended.exit_code = WEXITSTATUS(report.wait_status);
  }
  ended.peak_rss_bytes = report.peak_rss;
  ended.leftovers_killed = report.leftovers;
  ended.survivors = report.survivors;
  ended.agent_was_silent = report.agent_was_silent != 0;
  return ended;
}

}  // namespace

core::Result<TaskProcess::Prepared> TaskProcess::prepare(LaunchRequest request) {
  if (auto usable = check(request); !usable) return core::fail(usable.error());
  return Prepared(std::move(request));
}

core::Result<TaskProcess> TaskProcess::launch(LaunchRequest request) {
  auto prepared = prepare(std::move(request));
  if (!prepared) return core::fail(prepared.error());
  return prepared->start();
}

TaskProcess::Prepared::Prepared(LaunchRequest request)
    : request_(std::make_unique<LaunchRequest>(std::move(request))), plan_(std::make_unique<SpawnPlan>(*request_)) {
  // The plan has its own copy of the environment. Only PATH is needed again, to explain why a command cannot be
  // started. Keeping the rest for each task of a gang would make every fork of the agent slower.
  std::erase_if(request_->environment, [](const auto& variable) { return variable.first != "PATH"; });
}

TaskProcess::Prepared::~Prepared() = default;
TaskProcess::Prepared::Prepared(Prepared&&) noexcept = default;

core::Result<TaskProcess> TaskProcess::Prepared::start() {
  auto socket = make_socket();
  if (!socket) return core::fail(socket.error());

  // Signals are blocked during the fork. A signal handler of the agent must not run in the reaper, where it would write
  // to descriptors that both processes share.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t agent = ::getpid();
  const pid_t reaper = ::fork();
  if (reaper == 0) run_reaper(*plan_, socket->reaper.get(), agent);
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (reaper < 0) return core::fail(explain(*request_, {SpawnStage::process, error, 0}));
  return TaskProcess(std::move(socket->agent), reaper, std::move(request_));
}

TaskProcess::TaskProcess(core::UniqueFd control, pid_t reaper, std::unique_ptr<LaunchRequest> request)
    : control_(std::move(control)), reaper_(reaper), request_(std::move(request)) {}

TaskProcess& TaskProcess::operator=(TaskProcess&& other) noexcept {
  if (this != &other) {
    close();
    control_ = std::move(other.control_);
    reaper_ = std::move(other.reaper_);
    request_ = std::move(other.request_);
    finished_ = other.finished_;
  }
  return *this;
}

TaskProcess::~TaskProcess() {
  close();
}

std::optional<TaskEvent> TaskProcess::read_event() {
  if (finished_ || !control_) return std::nullopt;
  ReaperReport report;
  ssize_t n = 0;
  do {
    n = ::recv(control_.get(), &report, sizeof report, MSG_DONTWAIT);
    // If the reaper ends without having read all commands, the connection is reset. Its reports can be read after that
    // error.
  } while (n < 0 && (errno == EINTR || errno == ECONNRESET));
  if (n < 0 && errno == EAGAIN) return std::nullopt;
  if (n != sizeof report) return finish(ReaperLost{});
  switch (report.kind) {
    case ReportKind::launched:
      request_.reset();
      return Launched{report.pid};
    case ReportKind::launch_failed:
      return finish(LaunchFailed{explain(*request_, report.failure), is_permanent(report.failure)});
    case ReportKind::ended:
      return finish(ended_of(report));
  }
  return finish(ReaperLost{});
}

TaskEvent TaskProcess::finish(TaskEvent event) {
  finished_ = true;
  collect_reaper();
  return event;
}

void TaskProcess::stop(core::Millis grace) {
  if (finished_ || !control_) return;
  const ReaperCommand command{CommandKind::stop, grace.count()};
  // If the socket is full, such commands are already waiting in it.
  [[maybe_unused]] const auto n = ::send(control_.get(), &command, sizeof command, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void TaskProcess::kill() {
  // Closing the writing side is the order to kill. Reports can still be read.
  if (!finished_ && control_) ::shutdown(control_.get(), SHUT_WR);
}

void TaskProcess::beat() {
  if (finished_ || !control_) return;
  // A reaper that is stopped does not read. So at most one beat waits in the socket, which leaves space for a stop.
  int unread = 0;
  if (::ioctl(control_.get(), SIOCOUTQ, &unread) == 0 && unread > 0) return;
  const ReaperCommand command{CommandKind::beat, 0};
  [[maybe_unused]] const auto n = ::send(control_.get(), &command, sizeof command, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void TaskProcess::collect_reaper() {
  const pid_t pid = std::exchange(reaper_.pid, 0);
  if (pid <= 0) return;
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void TaskProcess::close() {
  if (control_ && reaper_.pid > 0) {
    kill();
    const auto deadline = core::steady_now() + kCloseLimit;
    while (!finished_) {
      if (read_event()) continue;
      const auto left = deadline - core::steady_now();
      pollfd readable{control_.get(), POLLIN, 0};
      if (left <= core::Millis(0) || ::poll(&readable, 1, static_cast<int>(left.count())) == 0) break;
    }
    if (!finished_) ::kill(reaper_.pid, SIGKILL);
    collect_reaper();
  }
  control_.reset();
}

}  // namespace ydl::agent
