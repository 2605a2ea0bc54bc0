#pragma once

#include "core/files.hpp"
#include "net/asio.hpp"

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ydl::net {

// Runs another copy of this program, however its file was named, moved or replaced since it started.
inline constexpr const char* kOwnExecutable = "/proc/self/exe";

// Where a process finds what SpawnOptions::handed_over was.
inline constexpr int kHandedOver = 4;

struct SpawnOptions {
  std::string executable;
  std::vector<std::string> argv;    // argv[0] included
  core::UniqueFd standard_input;    // none: /dev/null
  core::UniqueFd standard_output;   // none: where standard error goes
  std::filesystem::path log_file;   // standard error, appended; empty: where standard output goes
  std::filesystem::path directory;  // empty: this one's
  core::UniqueFd handed_over;       // a further descriptor, with the locks that it holds
};

// A process of ours, in a session of its own: the terminal's Ctrl-C does not reach it. It sees descriptors 0, 1 and 2,
// and the one that is handed over.
class ChildProcess {
 public:
  [[nodiscard]] static core::Result<ChildProcess> spawn(SpawnOptions options);

  ChildProcess(ChildProcess&&) noexcept = default;
  ChildProcess& operator=(ChildProcess&&) noexcept = default;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;
  // Until it ends; its wait status, reaped.
  [[nodiscard]] awaitable<int> wait();

 private:
  ChildProcess(pid_t pid, core::UniqueFd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

  pid_t pid_ = 0;
  core::UniqueFd pidfd_;
};

}  // namespace ydl::net
