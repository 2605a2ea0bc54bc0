#pragma once

#include "core/result.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ydl::agent {

// The process that listens on a port.
struct PortOwner {
  enum class Kind { none, ours, foreign };
  Kind kind = Kind::none;
  pid_t pid = 0;     // 0 if it is not visible to this user
  std::string name;  // of the process; "" if it is not visible
};

// The listening sockets of this machine, IPv4 and IPv6, at one moment. They are read once and used for many ports.
class Listeners {
 public:
  [[nodiscard]] static core::Result<Listeners> read();

  [[nodiscard]] bool anyone_on(std::uint16_t port) const { return !sockets_on(port).empty(); }
  // Whether the listener is one of `ours` (a task and its descendants) or another process; none if it has ended since.
  // If there is a listener, this reads /proc, which takes milliseconds.
  [[nodiscard]] PortOwner owner_of(std::uint16_t port, std::span<const pid_t> ours) const;

 private:
  [[nodiscard]] std::vector<std::uint64_t> sockets_on(std::uint16_t port) const;

  std::string v4_;
  std::string v6_;
};

}  // namespace ydl::agent
