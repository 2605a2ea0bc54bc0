#include "agent/resources/held_ports.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

struct HeldPort {
  std::uint16_t port = 0;
  core::UniqueFd socket;
  core::UniqueFd mark;
};

// Two agents could bind the same port, because both set SO_REUSEADDR and neither listens. So each agent also binds an
// abstract Unix socket named after the port. Only one process of a network namespace can have that name, and the name
// is free again when the process ends.
core::UniqueFd take_mark(std::uint16_t port) {
  core::UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) return {};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int length = std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "ydl-port-%u", unsigned{port});
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(length));
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) return {};
  return fd;
}

// With `port` 0 the kernel chooses. errno is EADDRINUSE if the port is taken.
core::Result<HeldPort> hold_one(std::uint16_t port) {
  HeldPort held;
  held.socket = core::UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!held.socket) return core::fail(core::system_error(errno, "cannot create a socket to hold a port"));
  const int on = 1;
  ::setsockopt(held.socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  socklen_t size = sizeof address;
  if (::bind(held.socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      ::getsockname(held.socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return core::fail(core::system_error(errno, fmt::format("cannot hold port {}", port)));
  }
  held.port = ntohs(address.sin_port);
  held.mark = take_mark(held.port);
  if (!held.mark) return core::fail(core::system_error(EADDRINUSE, fmt::format("cannot hold port {}", held.port)));
  return held;
}

bool is_taken(const core::Error& error) {
  return error.code == std::errc::address_in_use;
}

// The agents of a host should not all start at the same end of the range.
unsigned random_below(unsigned bound) {
  unsigned value = 0;
  if (::getrandom(&value, sizeof value, 0) != sizeof value) return 0;
  return value % bound;
}

core::Result<std::vector<HeldPort>> hold_in_range(std::size_t count, PortRange range) {
  if (range.first == 0 || range.last < range.first) {
    return core::fail(core::Errc::usage, fmt::format("the port range {}-{} is empty: write the lower port first, and "
                                                     "do not use port 0",
                                                     range.first, range.last));
  }
  const unsigned size = unsigned{range.last} - range.first + 1U;
  const unsigned start = random_below(size);
  std::vector<HeldPort> held;
  std::optional<core::Error> refusal;
  for (unsigned i = 0; i < size && held.size() < count; ++i) {
    auto one = hold_one(static_cast<std::uint16_t>(range.first + (start + i) % size));
    if (one) {
      held.push_back(std::move(*one));
    } else if (!is_taken(one.error())) {
      refusal = std::move(one.error());
    }
  }
  if (held.size() == count) return held;
  if (refusal && held.empty()) return core::fail(std::move(*refusal));
  return core::fail(
      core::Errc::no_capacity,
      fmt::format("the port range {}-{} has only {} free on this machine, and the task needs {}: use a larger "
                  "range, or end the programs that use its ports",
                  range.first, range.last, core::plural(static_cast<std::int64_t>(held.size()), "port"), count));
}

core::Result<std::vector<HeldPort>> hold_any(std::size_t count) {
  constexpr int kTries = 64;
  std::vector<HeldPort> held;
  for (int tries = 0; held.size() < count; ++tries) {
    auto one = hold_one(0);
    if (one) {
      held.push_back(std::move(*one));
      continue;
    }
    if (!is_taken(one.error()) || tries >= kTries) return core::fail(std::move(one.error()));
  }
  return held;
}

}  // namespace

void HeldPorts::add(std::uint16_t port, core::UniqueFd socket, core::UniqueFd mark) {
  ports_.push_back(port);
  sockets_.push_back(std::move(socket));
  sockets_.push_back(std::move(mark));
}

core::Result<HeldPorts> HeldPorts::hold_again(const std::vector<std::uint16_t>& ports) {
  HeldPorts again;
  for (const auto port : ports) {
    auto one = hold_one(port);
    if (!one && is_taken(one.error())) {
      return core::fail(core::Error{std::make_error_code(std::errc::address_in_use),
                                    fmt::format("port {} of its last attempt is now used by another program", port)});
    }
    if (!one) return core::fail(std::move(one.error()));
    again.add(one->port, std::move(one->socket), std::move(one->mark));
  }
  return again;
}

core::Result<HeldPorts> HeldPorts::hold(int count, std::optional<PortRange> range) {
  const auto wanted = static_cast<std::size_t>(std::max(count, 0));
  auto held = range ? hold_in_range(wanted, *range) : hold_any(wanted);
  if (!held) return core::fail(std::move(held.error()));
  HeldPorts ports;
  for (auto& one : *held) ports.add(one.port, std::move(one.socket), std::move(one.mark));
  return ports;
}

}  // namespace ydl::agent
