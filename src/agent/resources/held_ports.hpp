#pragma once

#include "core/files.hpp"
#include "core/result.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace ydl::agent {

struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;  // included
};

// Ports kept free for a task: bound with SO_REUSEADDR on all IPv4 addresses and never listened on. The kernel gives
// such a port to no one who does not name it, while a program that names it and sets SO_REUSEADDR itself, as servers
// do, can bind and listen. To be kept as long as the task runs.
class HeldPorts {
 public:
  // Errors: the range is empty or has too few free ports (no_capacity), or the system refuses.
  [[nodiscard]] static core::Result<HeldPorts> hold(int count, std::optional<PortRange> range = std::nullopt);

  // Exactly these, in this order: those of an attempt that has ended. Errors: std::errc::address_in_use, or the system
  // refuses.
  [[nodiscard]] static core::Result<HeldPorts> hold_again(const std::vector<std::uint16_t>& ports);

  [[nodiscard]] const std::vector<std::uint16_t>& ports() const { return ports_; }

 private:
  void add(std::uint16_t port, core::UniqueFd socket, core::UniqueFd mark);

  std::vector<std::uint16_t> ports_;
  std::vector<core::UniqueFd> sockets_;
};

}  // namespace ydl::agent
