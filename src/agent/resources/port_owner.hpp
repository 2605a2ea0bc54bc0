#pragma once

#include "core/result.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ydl::agent {

// Who listens on a port.
struct PortOwner {
  enum class Kind { nobody, ours, stranger };
  Kind kind = Kind::nobody;
  pid_t pid = 0;     // 0 when not visible to this user
  std::string name;  // of the process, "" when not visible
};

// Who listens on this machine, IPv4 or IPv6, as of one moment: read once, asked for many ports.
class Listeners {
 public:
  [[nodiscard]] static core::Result<Listeners> read();

  [[nodiscard]] bool anyone_on(std::uint16_t port) const { return !sockets_on(port).empty(); }
  // Whether the listener is one of `ours` (a task and its descendants) or somebody else; nobody when it has ended
  // since. When somebody listens this reads /proc, which takes milliseconds.
  [[nodiscard]] PortOwner owner_of(std::uint16_t port, std::span<const pid_t> ours) const;

 private:
  [[nodiscard]] std::vector<std::uint64_t> sockets_on(std::uint16_t port) const;

  std::string v4_;
  std::string v6_;
};

}  // namespace ydl::agent
