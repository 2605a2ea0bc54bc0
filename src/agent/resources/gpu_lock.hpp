#pragma once

#include "core/files.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace ydl::agent {

// The process that has locked a GPU, as the kernel reports it.
struct GpuHolder {
  pid_t pid = 0;  // 0: it is in a PID namespace that is not visible here
  uid_t uid = 0;

  bool operator==(const GpuHolder&) const = default;
};

// The result of an attempt to lock a GPU.
struct GpuLock {
  enum class State {
    ours,
    taken,       // another running process has the lock
    impossible,  // locks do not work here: the GPU is used without one
  };
  State state = State::impossible;
  core::UniqueFd socket = {};                      // holds the lock, until it is closed or this process ends
  std::optional<GpuHolder> holder = std::nullopt;  // if the GPU is taken and the kernel can tell by which process
};

// A lock is the name of a listening abstract Unix socket. Only one process of a host can have a name, the name becomes
// free when that process ends, and the kernel tells other processes which one holds it. There is no file that other
// users could open, create or leave behind. A name counts only if a running process listens on it.
[[nodiscard]] GpuLock lock_gpu(std::string_view name);

// "process 4711 of user alice".
[[nodiscard]] std::string describe(const GpuHolder& holder, std::string_view passwd_text);

}  // namespace ydl::agent
