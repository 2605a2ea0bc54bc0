#include "agent/resources/port_owner.hpp"

#include "agent/process/proc_tree.hpp"
#include "agent/resources/net_tcp.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <dirent.h>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

// Whether `pid` has one of these sockets open; false if this user may not see that.
bool has_socket(pid_t pid, std::span<const std::uint64_t> inodes) {
  const std::unique_ptr<DIR, CloseDirectory> directory(::opendir(fmt::format("/proc/{}/fd", pid).c_str()));
  if (!directory) return false;
  while (const auto* entry = ::readdir(directory.get())) {
    std::array<char, 64> target{};
    const auto n = ::readlinkat(::dirfd(directory.get()), entry->d_name, target.data(), target.size());
    std::string_view text(target.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
    if (!text.starts_with("socket:[") || !text.ends_with(']')) continue;
    text.remove_prefix(8);
    text.remove_suffix(1);
    const auto inode = core::parse_int<std::uint64_t>(text);
    if (inode && std::ranges::find(inodes, *inode) != inodes.end()) return true;
  }
  return false;
}

}  // namespace

core::Result<Listeners> Listeners::read() {
  auto v4 = core::read_file("/proc/self/net/tcp");
  if (!v4) return core::fail(std::move(v4.error()).within("looking for the process that listens on a port"));
  Listeners listeners;
  listeners.v4_ = *std::move(v4);
  // The file does not exist if IPv6 is disabled.
  if (auto v6 = core::read_file("/proc/self/net/tcp6")) listeners.v6_ = *std::move(v6);
  return listeners;
}

std::vector<std::uint64_t> Listeners::sockets_on(std::uint16_t port) const {
  auto inodes = listening_inodes(v4_, port);
  const auto more = listening_inodes(v6_, port);
  inodes.insert(inodes.end(), more.begin(), more.end());
  return inodes;
}

PortOwner Listeners::owner_of(std::uint16_t port, std::span<const pid_t> ours) const {
  const auto inodes = sockets_on(port);
  if (inodes.empty()) return {};
  for (const pid_t pid : ours) {
    if (has_socket(pid, inodes)) return {PortOwner::Kind::ours, pid, process_name(pid)};
  }
  for (const auto& process : list_processes()) {
    if (has_socket(process.pid, inodes)) return {PortOwner::Kind::foreign, process.pid, process_name(process.pid)};
  }
  // Either the sockets of the owner are not visible to this user, or it has ended since the tables were read.
  const auto now = read();
  const auto still = now ? now->sockets_on(port) : inodes;
  const bool listens =
      std::ranges::any_of(inodes, [&](auto inode) { return std::ranges::find(still, inode) != still.end(); });
  return listens ? PortOwner{PortOwner::Kind::foreign, 0, {}} : PortOwner{};
}

}  // namespace ydl::agent
