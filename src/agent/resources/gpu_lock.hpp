#pragma once

#include "core/files.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace ydl::agent {

// The process that has locked a GPU, as the kernel tells it.
struct GpuHolder {
  pid_t pid = 0;  // 0: in a PID namespace that we do not see
  uid_t uid = 0;

  bool operator==(const GpuHolder&) const = default;
};

// What came of an attempt to lock a GPU.
struct GpuLock {
  enum class State {
    ours,
    taken,       // by another process that lives
    impossible,  // nobody can be asked: the GPU is used as it would be alone
  };
  State state = State::impossible;
  core::UniqueFd socket = {};                      // holds the lock, until it is closed or this process ends
  std::optional<GpuHolder> holder = std::nullopt;  // of a GPU that is taken, where the kernel can tell
};

// A lock is the name of an abstract Unix socket that listens: a name that only one process of a host can have, that
// ends with it, however it ends, and whose holder the kernel names to everybody. There is no file that others could
// open, plant or leave behind. A name without a listening process that lives is not an agent's, and does not count.
[[nodiscard]] GpuLock lock_gpu(std::string_view name);

// "process 4711 of user alice".
[[nodiscard]] std::string describe(const GpuHolder& holder, std::string_view passwd_text);

}  // namespace ydl::agent
