#include "agent/process/spawn.hpp"

#include "agent/process/shebang.hpp"
#include "core/files.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

// The group of the NodeManager must be able to read the logs of a container; their folder sets that group (setgid).
// Folders of logs elsewhere are not accessible to other users.
constexpr mode_t kLogMask = 027;
constexpr int kLogFlags = O_WRONLY | O_APPEND | O_CREAT | O_NOCTTY | O_CLOEXEC;

// Between vfork and exec the child runs in the memory of its parent, so these functions make only system calls.

bool open_as(const char* path, int wanted) {
  const int fd = ::open(path, kLogFlags, 0644);
  if (fd < 0) return false;
  const bool ok = ::dup2(fd, wanted) == wanted;
  ::close(fd);
  return ok;
}

bool write_zero(const char* path) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool ok = ::write(fd, "0", 1) == 1;  // "0" means the writing process, in both versions of cgroups
  const int error = errno;
  ::close(fd);
  errno = error;
  return ok;
}

bool is_elf(const char* path) {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::array<char, 4> magic{};
  const bool elf = ::read(fd, magic.data(), magic.size()) == 4 && std::memcmp(magic.data(), "\177ELF", 4) == 0;
  ::close(fd);
  return elf;
}

// Whether the search for a command continues after this failure, by the rules of execvp.
bool try_next(int error) {
  return error == EACCES || error == ENOENT || error == ENOTDIR || error == ESTALE || error == ENODEV ||
         error == ETIMEDOUT || error == ELOOP || error == ENAMETOOLONG;
}

bool script_lacks_interpreter(const LaunchRequest& request, const std::vector<std::string>& candidates) {
  const auto script = first_executable(candidates, request.working_directory);
  return script && interpreter_problem(*script, search_path(request), request.working_directory);
}

void terminate(std::vector<const char*>& words) {
  words.push_back(nullptr);
}

char* const* as_exec_array(const std::vector<const char*>& words) {
  return const_cast<char* const*>(words.data());  // exec does not modify the words
}

}  // namespace

SpawnPlan::SpawnPlan(const LaunchRequest& request)
    : request_(request),
      group_(::getpgrp()),
      candidates_(agent::candidates(request.argv.front(), search_path(request))),
      lacks_interpreter_(script_lacks_interpreter(request, candidates_)) {
  std::size_t size = 0;
  for (const auto& [name, value] : request.environment) size += name.size() + value.size() + 2;
  environment_.reserve(size);  // the buffer must not move, because envp_ points into it
  for (const auto& [name, value] : request.environment) {
    envp_.push_back(environment_.data() + environment_.size());
    environment_.append(name).append(1, '=').append(value).append(1, '\0');
  }
  for (const auto& directory : request.cgroups) cgroup_files_.push_back((directory / "cgroup.procs").string());
  shell_argv_ = {"/bin/sh", nullptr};
  for (const auto& word : request.argv) {
    if (!argv_.empty()) shell_argv_.push_back(word.c_str());
    argv_.push_back(word.c_str());
  }
  terminate(argv_);
  terminate(shell_argv_);
  terminate(envp_);
}

SpawnFailure SpawnPlan::exec_first_candidate() {
  SpawnFailure failure{SpawnStage::exec, ENOENT, 0};
  bool denied = false;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const char* path = candidates_[i].c_str();
    ::execve(path, as_exec_array(argv_), as_exec_array(envp_));
    int error = errno;
    if (error == ENOEXEC && !is_elf(path)) {
      shell_argv_[1] = path;
      ::execve("/bin/sh", as_exec_array(shell_argv_), as_exec_array(envp_));
      error = ENOEXEC;
    }
    if (!try_next(error)) return {SpawnStage::exec, error, static_cast<std::int32_t>(i)};
    // A file that cannot be executed is a better explanation than folders without the file.
    if (error == EACCES && !denied) {
      denied = true;
      failure = {SpawnStage::exec, EACCES, static_cast<std::int32_t>(i)};
    }
  }
  return failure;
}

void SpawnPlan::become_task(pid_t parent, int failures) {
  const auto give_up = [failures](SpawnFailure failure) {
    [[maybe_unused]] const auto n = ::write(failures, &failure, sizeof failure);
    ::_exit(127);
  };
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (::getppid() != parent)
    ::_exit(127);  // the parent died before the previous line, so the kernel will send no signal
  // The reaper, which is the parent, already has its own group.
  if (::setpgid(0, request_.own_group ? 0 : group_) != 0) give_up({SpawnStage::process, errno, 0});
  for (std::size_t i = 0; i < cgroup_files_.size(); ++i) {
    if (!write_zero(cgroup_files_[i].c_str())) give_up({SpawnStage::cgroup, errno, static_cast<std::int32_t>(i)});
  }
  for (std::size_t i = 0; i < request_.limits.size(); ++i) {
    const auto& limit = request_.limits[i];
    if (::setrlimit(static_cast<__rlimit_resource>(limit.resource), &limit.value) != 0) {
      give_up({SpawnStage::limit, errno, static_cast<std::int32_t>(i)});
    }
  }
  if (::chdir(request_.working_directory.c_str()) != 0) give_up({SpawnStage::working_directory, errno, 0});
  const auto inherited = ::umask(kLogMask);
  if (!open_as(request_.stdout_file.c_str(), STDOUT_FILENO)) give_up({SpawnStage::stdout_file, errno, 0});
  if (!open_as(request_.stderr_file.c_str(), STDERR_FILENO)) give_up({SpawnStage::stderr_file, errno, 0});
  ::umask(request_.umask.value_or(inherited));
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  give_up(exec_first_candidate());
  ::_exit(127);
}

std::expected<pid_t, SpawnFailure> SpawnPlan::spawn() {
  auto failures = core::make_pipe();
  if (!failures) return std::unexpected(SpawnFailure{SpawnStage::process, failures.error().code.value(), 0});
  const pid_t self = ::getpid();
  // vfork copies nothing, and the child only makes system calls before exec. posix_spawn can neither end the child
  // together with this process nor report which step failed.
  const pid_t pid = ::vfork();  // NOLINT(bugprone-unsafe-functions,clang-analyzer-security.insecureAPI.vfork)
  if (pid < 0) return std::unexpected(SpawnFailure{SpawnStage::process, errno, 0});
  if (pid == 0) become_task(self, failures->write.get());  // NOLINT(clang-analyzer-unix.Vfork)
  failures->write.reset();
  SpawnFailure failure;
  // exec has closed the pipe without a message, so the program runs.
  if (::read(failures->read.get(), &failure, sizeof failure) != sizeof failure) return pid;
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return std::unexpected(failure);
}

}  // namespace ydl::agent
