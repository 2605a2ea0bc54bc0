#pragma once

#include "core/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace ydl::hconf {

// A server's address in Hadoop's configuration.
struct HostPort {
  std::string host;  // a name or a numeric address, without brackets
  std::uint16_t port = 0;

  bool operator==(const HostPort&) const = default;
};

// Parses "host:port", "host" or "[::1]:port"; `default_port` is used if the port is missing. Errors: usage.
[[nodiscard]] core::Result<HostPort> parse_host_port(std::string_view text, std::uint16_t default_port);

// "host:port"; an IPv6 address is written in brackets.
[[nodiscard]] std::string to_string(const HostPort& server);

}  // namespace ydl::hconf
