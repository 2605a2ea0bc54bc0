#include "hconf/host_port.hpp"

#include "core/strings.hpp"

#include <fmt/format.h>

namespace ydl::hconf {
namespace {

core::Result<HostPort> malformed(std::string_view text) {
  return core::fail(core::Errc::usage,
                    fmt::format("'{}' is not an address of the form HOST:PORT", core::printable(text)));
}

}  // namespace

core::Result<HostPort> parse_host_port(std::string_view text, std::uint16_t default_port) {
  const std::string_view whole = core::trim(text);
  std::string_view host = whole;
  std::string_view port;
  if (whole.starts_with('[')) {
    const auto end = whole.find(']');
    if (end == std::string_view::npos) return malformed(text);
    host = whole.substr(1, end - 1);
    const std::string_view rest = whole.substr(end + 1);
    if (!rest.empty() && !rest.starts_with(':')) return malformed(text);
    port = rest.empty() ? rest : rest.substr(1);
    if (!rest.empty() && port.empty()) return malformed(text);
  } else if (const auto colon = whole.find(':'); colon != std::string_view::npos) {
    host = whole.substr(0, colon);
    port = whole.substr(colon + 1);
    if (port.empty()) return malformed(text);
  }
  if (host.empty() || host.find_first_of(" \t/") != std::string_view::npos) return malformed(text);
  if (port.empty()) return HostPort{std::string(host), default_port};
  const auto number = core::parse_int<std::uint16_t>(port);
  if (!number || *number == 0) return malformed(text);
  return HostPort{std::string(host), *number};
}

std::string to_string(const HostPort& server) {
  const bool is_ipv6 = server.host.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(is_ipv6 ? "[{}]:{}" : "{}:{}"), server.host, server.port);
}

}  // namespace ydl::hconf
