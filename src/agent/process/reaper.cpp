#include "agent/process/reaper.hpp"

#include "agent/process/tree_killer.hpp"
#include "core/clock.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace ydl::agent {
namespace {

using core::Instant;
using core::Millis;

constexpr int kControl = 3;              // the socket is moved here, so that all descriptors above can be closed
constexpr auto kFirstPause = Millis(1);  // between two sweeps while killing
constexpr auto kLongestPause = Millis(500);
// Processes that are left then cannot be killed: they run as another user or are blocked in I/O.
constexpr auto kGiveUp = Millis(10'000);

void close_above(unsigned last_kept) {
  if (::syscall(SYS_close_range, last_kept + 1, ~0U, 0) == 0) return;
  rlimit limit{};  // kernels before 5.9
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const auto end = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1U << 20U));
  for (int fd = static_cast<int>(last_kept) + 1; fd < end; ++fd) ::close(fd);
}

// Uses the system call directly, because libc refuses to change the two signals that it uses itself (32 and 33). A
// parent process with another libc may have set them to be ignored.
void reset_signal_dispositions() {
  struct {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)();
    std::uint64_t mask;
  } const defaults{SIG_DFL, 0, nullptr, 0};  // the layout of the kernel's struct
  for (int signal = 1; signal < NSIG; ++signal) {
    ::syscall(SYS_rt_sigaction, signal, &defaults, nullptr, sizeof(defaults.mask));
  }
}

// Closes all descriptors of the agent except the socket. If a reaper kept them, the sockets of other tasks and the
// pipes of the agent would stay open when the agent dies. Returns 0, or errno if it fails.
int drop_descriptors(int control) {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return errno;
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, fd);
  if (control != kControl && ::dup3(control, kControl, O_CLOEXEC) < 0) return errno;
  close_above(kControl);
  return 0;
}

class Reaper {
 public:
  Reaper(SpawnPlan& plan, pid_t agent) : plan_(plan), agent_(agent), own_pid_(::getpid()) {}

  void run() {
    if (!launch()) return;
    while (!step()) {
    }
    report_end();
  }

 private:
  enum class State { running, stopping, killing };

  bool launch();
  // One round: collect ended processes, act, and wait for the next event. Returns true when no process is left.
  bool step();
  // Returns false when no child is left.
  bool collect();
  void begin_stop(Millis grace);
  void begin_kill();
  void wait_for_news();
  void read_control();
  void mind_silence(Millis waited_beyond);
  void read_signals();
  [[nodiscard]] int timeout_ms() const;
  [[nodiscard]] bool agent_is_gone() const { return ::getppid() != agent_; }
  void report_end();

  SpawnPlan& plan_;
  pid_t agent_;
  pid_t own_pid_;
  pid_t main_ = 0;
  std::optional<int> main_status_;
  std::uint64_t peak_rss_ = 0;
  State state_ = State::running;
  Instant deadline_{};  // stopping: when to kill; killing: when to give up
  Millis pause_ = kFirstPause;
  Instant agent_heard_ = core::steady_now();
  bool agent_was_silent_ = false;
  int control_ = kControl;
  int signals_ = -1;
  int survivors_ = 0;
  std::optional<TreeKiller> killer_;
};

void send_report(const ReaperReport& report) {
  while (::send(kControl, &report, sizeof report, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

void send_failure(const SpawnFailure& failure) {
  send_report({.kind = ReportKind::launch_failed, .failure = failure});
}

bool Reaper::launch() {
  sigset_t watched;
  ::sigemptyset(&watched);
  ::sigaddset(&watched, SIGCHLD);
  ::sigaddset(&watched, SIGTERM);
  signals_ = ::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals_ < 0) {
    send_failure({SpawnStage::process, errno, 0});
    return false;
  }
  auto task = plan_.spawn();
  if (!task) {
    send_failure(task.error());
    return false;
  }
  main_ = *task;
  send_report({.kind = ReportKind::launched, .pid = main_});
  return true;
}

bool Reaper::step() {
  if (!collect()) return true;
  if (main_status_ && state_ != State::killing) begin_kill();
  if (state_ == State::stopping && core::steady_now() >= deadline_) begin_kill();
  if (state_ == State::killing) {
    const auto sweep = killer_->sweep();
    // Wait for a main process that cannot be killed yet: as long as it exists, the task must not be reported as ended.
    if (main_status_ && core::steady_now() >= deadline_) {
      survivors_ = sweep.alive;
      return true;
    }
    if (!collect()) return true;
  }
  wait_for_news();
  return false;
}

bool Reaper::collect() {
  for (;;) {
    int status = 0;
    rusage usage{};
    const pid_t pid = ::wait4(-1, &status, WNOHANG, &usage);
    if (pid == 0) return true;
    if (pid < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    peak_rss_ = std::max(peak_rss_, static_cast<std::uint64_t>(usage.ru_maxrss) * 1024);
    if (pid == main_) main_status_ = status;
  }
}

void Reaper::begin_stop(Millis grace) {
  const auto deadline = core::steady_now() + std::clamp(grace, Millis(0), Millis(core::Seconds(86'400)));
  if (state_ == State::killing) return;
  deadline_ = state_ == State::stopping ? std::min(deadline_, deadline) : deadline;
  if (std::exchange(state_, State::stopping) == State::stopping) return;
  // A stopped process receives SIGTERM only when it continues.
  if (plan_.request().told_to_stop == LaunchRequest::ToldToStop::main_process) {
    ::kill(main_, SIGTERM);
    ::kill(main_, SIGCONT);
    return;
  }
  if (plan_.request().own_group) {
    ::kill(-main_, SIGTERM);
    ::kill(-main_, SIGCONT);
    return;
  }
  for (const auto& process : descendants_of(own_pid_, list_processes())) {
    ::kill(process.pid, SIGTERM);
    ::kill(process.pid, SIGCONT);
  }
}

void Reaper::begin_kill() {
  if (std::exchange(state_, State::killing) == State::killing) return;
  killer_.emplace(own_pid_, plan_.request().own_group ? main_ : 0);
  deadline_ = core::steady_now() + kGiveUp;
}

int Reaper::timeout_ms() const {
  if (state_ == State::killing) return static_cast<int>(pause_.count());
  std::optional<Millis> left;
  if (const auto silence = plan_.request().agent_silence; silence > Millis(0))
    left = std::clamp(agent_heard_ + silence - core::steady_now(), Millis(1), std::max(silence / 4, Millis(1)));
  if (state_ == State::stopping) {
    const auto of_grace = std::max(deadline_ - core::steady_now(), Millis(0));
    left = left ? std::min(*left, of_grace) : of_grace;
  }
  return left ? static_cast<int>(left->count()) : -1;
}

void Reaper::wait_for_news() {
  std::array<pollfd, 2> watched{{{control_, POLLIN, 0}, {signals_, POLLIN, 0}}};
  const auto limit = timeout_ms();
  const auto began = core::steady_now();
  ::poll(watched.data(), watched.size(), limit);
  if (state_ == State::killing) pause_ = std::min(pause_ * 2, kLongestPause);
  if (watched[0].revents != 0) read_control();
  if (watched[1].revents != 0) read_signals();
  mind_silence(core::steady_now() - began - Millis(limit));
}

void Reaper::mind_silence(Millis waited_beyond) {
  const auto silence = plan_.request().agent_silence;
  if (silence <= Millis(0) || state_ == State::killing) return;
  const auto now = core::steady_now();
  // This process was suspended, and perhaps the agent too, so the time of the agent starts again.
  if (waited_beyond > silence / 4) agent_heard_ = now;
  if (now - agent_heard_ < silence) return;
  agent_was_silent_ = true;
  begin_kill();
}

void Reaper::read_control() {
  ReaperCommand command;
  const auto n = ::recv(control_, &command, sizeof command, MSG_DONTWAIT);
  if (n == sizeof command) {
    agent_heard_ = core::steady_now();
    if (command.kind == CommandKind::stop) begin_stop(Millis(command.grace_ms));
    return;
  }
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  control_ = -1;  // closed: the agent has ended, or orders all processes to be killed
  begin_kill();
}

void Reaper::read_signals() {
  std::array<signalfd_siginfo, 8> signals{};
  while (::read(signals_, signals.data(), sizeof signals) > 0) {
  }
  // While the agent runs, SIGTERM was sent to the whole container, and the agent decides what to do.
  if (agent_is_gone()) begin_kill();
}

void Reaper::report_end() {
  ReaperReport report{.kind = ReportKind::ended, .survivors = survivors_, .peak_rss = peak_rss_};
  report.wait_status = main_status_.value_or(SIGKILL);
  report.agent_was_silent = agent_was_silent_ ? 1 : 0;
  if (killer_) report.leftovers = static_cast<std::int32_t>(killer_->killed().size() - killer_->killed().count(main_));
  send_report(report);
}

}  // namespace

void run_reaper(SpawnPlan& plan, int control, pid_t agent) {
  reset_signal_dispositions();
  // The reaper has its own process group. So it survives a SIGKILL to the agent's group, and can then kill processes of
  // the task that have left that group.
  ::setpgid(0, 0);
  ::prctl(PR_SET_NAME, "ydl-task", 0, 0, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
  if (::getppid() != agent) ::_exit(0);  // the agent died before the previous line, so the kernel will send no signal
  if (const int error = drop_descriptors(control); error != 0) {
    const ReaperReport report{.kind = ReportKind::launch_failed, .failure = {SpawnStage::null_device, error, 0}};
    ::send(control, &report, sizeof report, MSG_NOSIGNAL);
    ::_exit(0);
  }
  if (plan.lacks_interpreter()) {
    send_failure({SpawnStage::interpreter, ENOENT, 0});
  } else {
    Reaper(plan, agent).run();
  }
  ::_exit(0);
}

}  // namespace ydl::agent
