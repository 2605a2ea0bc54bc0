#include "net/child_process.hpp"

#include "core/assert.hpp"
#include "core/descriptors.hpp"
#include "core/process_guard.hpp"

#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <fmt/format.h>

namespace ydl::net {
namespace {

struct Attributes {
  posix_spawnattr_t value{};
  Attributes() {
    ::posix_spawnattr_init(&value);
    sigset_t all;
    sigset_t none;
    ::sigfillset(&all);
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&value, &all);
    ::posix_spawnattr_setsigmask(&value, &none);
    ::posix_spawnattr_setflags(&value,
                               static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK));
  }
  ~Attributes() { ::posix_spawnattr_destroy(&value); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
};

struct FileActions {
  posix_spawn_file_actions_t value{};
  FileActions() { ::posix_spawn_file_actions_init(&value); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&value); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
};

}  // namespace

core::Result<ChildProcess> ChildProcess::spawn(SpawnOptions options) {
  YDL_ASSERT(!options.log_file.empty() || options.standard_output);
  FileActions actions;
  if (!options.directory.empty()) ::posix_spawn_file_actions_addchdir_np(&actions.value, options.directory.c_str());
  if (options.log_file.empty()) {
    ::posix_spawn_file_actions_adddup2(&actions.value, options.standard_output.get(), STDERR_FILENO);
  } else {
    ::posix_spawn_file_actions_addopen(&actions.value, STDERR_FILENO, options.log_file.c_str(),
                                       O_WRONLY | O_CREAT | O_APPEND, 0600);
  }
  if (options.standard_input)
    ::posix_spawn_file_actions_adddup2(&actions.value, options.standard_input.get(), STDIN_FILENO);
  else
    ::posix_spawn_file_actions_addopen(&actions.value, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(
      &actions.value, options.standard_output ? options.standard_output.get() : STDERR_FILENO, STDOUT_FILENO);
  ::posix_spawn_file_actions_addclosefrom_np(&actions.value, 3);

  std::vector<char*> argv;
  for (auto& word : options.argv) argv.push_back(word.data());
  argv.push_back(nullptr);

  const Attributes attributes;
  const core::OriginalDescriptorLimit as_the_user_set_it;
  const core::OriginalGuards guards_as_the_user_set_them;
  pid_t pid = 0;
  if (const int error =
          ::posix_spawn(&pid, options.executable.c_str(), &actions.value, &attributes.value, argv.data(), environ);
      error != 0) {
    return core::fail(core::system_error(error, fmt::format("cannot start {}", options.executable)));
  }
  core::UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd) {
    const int error = errno;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return core::fail(core::system_error(error, "cannot watch a process of our own (pidfd_open)"));
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
