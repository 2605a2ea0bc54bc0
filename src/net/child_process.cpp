#include "net/child_process.hpp"

#include "core/assert.hpp"
#include "core/descriptors.hpp"
#include "core/process_guard.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <expected>
#include <fcntl.h>
#include <optional>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <fmt/format.h>

namespace ydl::net {
namespace {

constexpr int kFailures = 3;  // the child's descriptor for reporting that it could not start

// What a child needs between vfork and exec. There it runs in the memory of its parent and may only make system calls.
//
// posix_spawn is not used because it can set neither limits nor the umask. This process would have to change its own
// settings for a moment, while other threads create files and folders.
struct Child {
  const char* executable = nullptr;
  char* const* argv = nullptr;
  const char* directory = nullptr;  // null: that of this process
  const char* log_file = nullptr;   // null: standard error goes to `output`
  int input = -1;                   // -1: /dev/null
  int output = -1;                  // -1: the same as standard error
  int failures = -1;
  int handed_over = -1;           // -1: none
  std::uint64_t descriptors = 0;  // all descriptors of the parent are lower than this number
  std::optional<rlimit> descriptor_limit = core::original_descriptor_limit();
  std::optional<rlimit> core_limit = core::original_core_limit();
  std::optional<mode_t> umask = core::original_umask();
};

bool give(int fd, int wanted) {
  return fd >= 0 && (fd == wanted ? ::fcntl(fd, F_SETFD, 0) == 0 : ::dup2(fd, wanted) == wanted);
}

bool open_as(const char* path, int flags, int wanted) {
  const int fd = ::open(path, flags, 0600);
  if (!give(fd, wanted)) return false;
  if (fd != wanted) ::close(fd);
  return true;
}

void close_from(int first, std::uint64_t end) {
  if (::syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  for (auto fd = static_cast<std::uint64_t>(first); fd < end; ++fd) ::close(static_cast<int>(fd));  // before Linux 5.9
}

// Uses the system call directly: the C library and the sanitizers keep tables of handlers in memory, and this memory
// still belongs to the parent.
void reset_signals() {
  const std::array<std::uint64_t, 8> by_default{};  // the kernel's struct sigaction; all zero means SIG_DFL
  for (int number = 1; number <= 64; ++number)
    (void)::syscall(SYS_rt_sigaction, number, by_default.data(), nullptr, sizeof(std::uint64_t));
  const std::uint64_t none = 0;
  (void)::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, nullptr, sizeof none);
}

bool set_up(const Child& child) {
  if (::setsid() < 0) return false;
  if (child.directory != nullptr && ::chdir(child.directory) != 0) return false;
  if (child.log_file == nullptr ? !give(child.output, STDERR_FILENO)
                                : !open_as(child.log_file, O_WRONLY | O_CREAT | O_APPEND, STDERR_FILENO))
    return false;
  if (child.input >= 0 ? !give(child.input, STDIN_FILENO) : !open_as("/dev/null", O_RDONLY, STDIN_FILENO)) return false;
  if (!give(child.output >= 0 ? child.output : STDERR_FILENO, STDOUT_FILENO)) return false;
  if (child.descriptor_limit) (void)::setrlimit(RLIMIT_NOFILE, &*child.descriptor_limit);
  if (child.core_limit) (void)::setrlimit(RLIMIT_CORE, &*child.core_limit);
  if (child.umask) (void)::umask(*child.umask);
  return true;
}

[[noreturn]] void become_program(const Child& child) {
  int failures = child.failures;
  // Moves this descriptor to a number above those that are assigned below.
  const int handed_over = child.handed_over < 0 ? -1 : ::fcntl(child.handed_over, F_DUPFD, kHandedOver + 1);
  const bool is_ready = set_up(child) && (handed_over >= 0 || child.handed_over < 0);
  if (is_ready && (failures == kFailures || ::dup3(failures, kFailures, O_CLOEXEC) == kFailures)) {
    failures = kFailures;
    if (handed_over >= 0) ::dup2(handed_over, kHandedOver);
    close_from(handed_over >= 0 ? kHandedOver + 1 : kFailures + 1, child.descriptors);
    reset_signals();
    ::execve(child.executable, child.argv, environ);
  }
  const int error = errno;
  [[maybe_unused]] const auto n = ::write(failures, &error, sizeof error);
  ::_exit(127);
}

// Blocks all signals of this thread during its lifetime: a handler in the child would run in the parent's memory.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

// Returns the process id once the program runs, or errno.
std::expected<pid_t, int> start(Child child) {
  auto failures = core::make_pipe();
  if (!failures) return std::unexpected(failures.error().code.value());
  child.failures = failures->write.get();
  child.descriptors = core::descriptor_limit();
  pid_t pid = 0;
  {
    const BlockedSignals blocked;
    pid = ::vfork();                      // NOLINT(bugprone-unsafe-functions,clang-analyzer-security.insecureAPI.vfork)
    if (pid == 0) become_program(child);  // NOLINT(clang-analyzer-unix.Vfork)
  }
  if (pid < 0) return std::unexpected(errno);
  failures->write.reset();
  int error = 0;
  // exec closed the pipe before anything was written to it: the program runs.
  if (::read(failures->read.get(), &error, sizeof error) != sizeof error) return pid;
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return std::unexpected(error);
}

}  // namespace

core::Result<ChildProcess> ChildProcess::spawn(SpawnOptions options) {
  YDL_ASSERT(!options.log_file.empty() || options.standard_output);
  std::vector<char*> argv;
  for (auto& word : options.argv) argv.push_back(word.data());
  argv.push_back(nullptr);
  Child child;
  child.executable = options.executable.c_str();
  child.argv = argv.data();
  if (!options.directory.empty()) child.directory = options.directory.c_str();
  if (!options.log_file.empty()) child.log_file = options.log_file.c_str();
  child.input = options.standard_input.get();
  child.output = options.standard_output.get();
  child.handed_over = options.handed_over.get();
  const auto started = start(child);
  if (!started)
    return core::fail(core::system_error(started.error(), fmt::format("cannot start {}", options.executable)));
  const pid_t pid = *started;
  core::UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd) {
    const int error = errno;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return core::fail(
        core::system_error(error, fmt::format("cannot watch the process of {} (pidfd_open)", options.executable)));
  }
  return ChildProcess(pid, std::move(pidfd));
}

void ChildProcess::signal(int number) const {
  (void)::syscall(SYS_pidfd_send_signal, pidfd_.get(), number, nullptr, 0);
}

awaitable<int> ChildProcess::wait() {
  asio::posix::stream_descriptor descriptor(co_await asio::this_coro::executor, ::dup(pidfd_.get()));
  int status = 0;
  for (;;) {
    if (::waitpid(pid_, &status, WNOHANG) != 0) co_return status;
    const auto [error] = co_await descriptor.async_wait(asio::posix::descriptor_base::wait_read, tuple);
    if (error) co_return status;
  }
}

}  // namespace ydl::net
