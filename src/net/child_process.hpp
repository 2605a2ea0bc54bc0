#pragma once

#include "core/files.hpp"
#include "net/asio.hpp"

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ydl::net {

// Starts this program again, even if its file was renamed, moved or replaced in the meantime.
inline constexpr const char* kOwnExecutable = "/proc/self/exe";

// The number of the descriptor SpawnOptions::handed_over in the child.
inline constexpr int kHandedOver = 4;

struct SpawnOptions {
  std::string executable;
  std::vector<std::string> argv;    // argv[0] included
  core::UniqueFd standard_input;    // none: /dev/null
  core::UniqueFd standard_output;   // none: the same as standard error
  std::filesystem::path log_file;   // for standard error, appended; empty: the same as standard output
  std::filesystem::path directory;  // empty: that of this process
  core::UniqueFd handed_over;       // one more descriptor, including its file locks
};

// A child process in its own session, so that Ctrl-C on the terminal does not reach it. It inherits descriptors 0, 1
// and 2 and the one in `handed_over`, and no others.
class ChildProcess {
 public:
  [[nodiscard]] static core::Result<ChildProcess> spawn(SpawnOptions options);

  ChildProcess(ChildProcess&&) noexcept = default;
  ChildProcess& operator=(ChildProcess&&) noexcept = default;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;
  // Waits until the process ends and reaps it. Returns its wait status.
  [[nodiscard]] awaitable<int> wait();

 private:
  ChildProcess(pid_t pid, core::UniqueFd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

  pid_t pid_ = 0;
  core::UniqueFd pidfd_;
};

}  // namespace ydl::net
