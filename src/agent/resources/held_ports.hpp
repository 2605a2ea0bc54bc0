#pragma once

#include "core/files.hpp"
#include "core/result.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace ydl::agent {

struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;  // inclusive
};

// Ports that are reserved for a task. They are bound with SO_REUSEADDR on all IPv4 addresses, without listening. The
// kernel never chooses such a port for another program. But a program that names the port and sets SO_REUSEADDR, as
// servers do, can bind it and listen. Keep this object as long as the task runs.
class HeldPorts {
 public:
  // Errors: usage, if the range is empty; no_capacity, if it has too few free ports; errors of the system.
  [[nodiscard]] static core::Result<HeldPorts> hold(int count, std::optional<PortRange> range = std::nullopt);

  // Reserves exactly these ports, in this order: those of an earlier attempt. Errors: std::errc::address_in_use; errors
  // of the system.
  [[nodiscard]] static core::Result<HeldPorts> hold_again(const std::vector<std::uint16_t>& ports);

  [[nodiscard]] const std::vector<std::uint16_t>& ports() const { return ports_; }

 private:
  void add(std::uint16_t port, core::UniqueFd socket, core::UniqueFd mark);

  std::vector<std::uint16_t> ports_;
  std::vector<core::UniqueFd> sockets_;
};

}  // namespace ydl::agent
