#pragma once

#include "core/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace ydl::hconf {

// A server as Hadoop's configuration names it.
struct HostPort {
  std::string host;  // a name or a numeric address, without brackets
  std::uint16_t port = 0;

  bool operator==(const HostPort&) const = default;
};

// "host:port", "host", "[::1]:port"; `default_port` where none is written. Errors: usage.
[[nodiscard]] core::Result<HostPort> parse_host_port(std::string_view text, std::uint16_t default_port);

// "host:port", an IPv6 address in brackets.
[[nodiscard]] std::string to_string(const HostPort& server);

}  // namespace ydl::hconf
