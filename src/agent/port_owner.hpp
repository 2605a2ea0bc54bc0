#pragma once

#include "core/result.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <sys/types.h>

namespace ydl::agent {

// Who listens on a port.
struct PortOwner {
  enum class Kind { nobody, ours, stranger };
  Kind kind = Kind::nobody;
  pid_t pid = 0;     // 0 when not visible to this user
  std::string name;  // of the process, "" when not visible
};

// Whether the listener on `port`, IPv4 or IPv6, is one of `ours` (a task and its descendants) or somebody else. Reads
// /proc, which takes milliseconds: for a check after a start, not for a loop.
[[nodiscard]] core::Result<PortOwner> listener_of(std::uint16_t port, std::span<const pid_t> ours);

}  // namespace ydl::agent
