#pragma once

#include "core/clock.hpp"
#include "core/files.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace ydl::test {

// How long a test waits before it reports that something is missing. Without an error, no test waits this long.
inline constexpr core::Millis kPatience{20'000};

// Returns whether `fd` becomes readable in time.
inline bool wait_readable(int fd, core::Millis limit = kPatience) {
  const auto deadline = core::steady_now() + limit;
  for (;;) {
    const auto left = std::max(deadline - core::steady_now(), core::Millis(0));
    pollfd readable{fd, POLLIN, 0};
    const int n = ::poll(&readable, 1, static_cast<int>(left.count()));
    if (n > 0) return true;
    if (n == 0 || errno != EINTR) return false;
  }
}

// A process that is referred to by a descriptor, so that its id cannot be confused with that of a later process.
class Watched {
 public:
  explicit Watched(pid_t pid) : fd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}
  // Returns whether the process has ended or ends within the time.
  [[nodiscard]] bool dies(core::Millis limit = kPatience) const { return !fd_ || wait_readable(fd_.get(), limit); }
  [[nodiscard]] bool is_alive() const { return fd_ && !wait_readable(fd_.get(), core::Millis(0)); }

 private:
  core::UniqueFd fd_;
};

// Reads the lines "NAME PID" in which tests/support/unruly.cpp reports the processes that it starts.
class RollCall {
 public:
  explicit RollCall(const std::filesystem::path& path) : path_(path) {
    if (::mkfifo(path.c_str(), 0600) == 0) fd_ = core::UniqueFd(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  }

  [[nodiscard]] std::string path() const { return path_.string(); }

  // The next process that reports `name`. Reports of other processes are kept for later calls.
  [[nodiscard]] std::optional<pid_t> next(const std::string& name) {
    for (;;) {
      if (auto& waiting = heard_[name]; !waiting.empty()) {
        const pid_t pid = waiting.front();
        waiting.erase(waiting.begin());
        return pid;
      }
      if (!wait_readable(fd_.get())) return std::nullopt;
      listen();
    }
  }

 private:
  void listen() {
    std::array<char, 4096> bytes{};
    const auto n = ::read(fd_.get(), bytes.data(), bytes.size());
    if (n > 0) text_.append(bytes.data(), static_cast<std::size_t>(n));
    for (auto end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
      const auto space = text_.find(' ');
      heard_[text_.substr(0, space)].push_back(std::stoi(text_.substr(space + 1, end - space)));
      text_.erase(0, end + 1);
    }
  }

  std::filesystem::path path_;
  core::UniqueFd fd_;
  std::string text_;
  std::map<std::string, std::vector<pid_t>> heard_;
};

}  // namespace ydl::test
