#include "agent/resources/gpu_lock.hpp"

#include "core/sha256.hpp"
#include "core/user.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <sys/socket.h>
#include <sys/un.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

constexpr int kBacklog = 4096;  // of processes that ask for the holder; their connections are never accepted
// An agent listens immediately after it has bound the name. Until then connections are refused.
constexpr int kTries = 20;
constexpr timespec kPause{0, 5'000'000};

struct Address {
  sockaddr_un bytes{};
  socklen_t length = 0;
};

Address abstract_address(std::string_view name) {
  std::string text(name);
  Address address;
  if (text.size() >= sizeof address.bytes.sun_path) {
    core::Sha256 hash;
    hash.add(text);
    text = hash.hex();
  }
  address.bytes.sun_family = AF_UNIX;
  std::ranges::copy(text, address.bytes.sun_path + 1);  // a first byte of zero makes the name abstract
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  return address;
}

core::UniqueFd make_socket() {
  return core::UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

const sockaddr* as_sockaddr(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address.bytes);
}

// A process that connects can read the credentials of the process that listens.
GpuHolder peer_of(const core::UniqueFd& socket) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return {};
  return {credentials.pid, credentials.uid};
}

// A child process may have inherited the socket of an agent that has ended.
bool lives(const GpuHolder& holder) {
  return holder.pid == 0 || ::kill(holder.pid, 0) == 0 || errno == EPERM;
}

// The lock of another process; nothing if no process listens on that name.
std::optional<GpuLock> look_at_holder(const Address& address) {
  const auto question = make_socket();
  if (::connect(question.get(), as_sockaddr(address), address.length) == 0) {
    const auto holder = peer_of(question);
    return lives(holder) ? GpuLock{GpuLock::State::taken, {}, holder} : GpuLock{};
  }
  if (errno == EAGAIN) return GpuLock{GpuLock::State::taken};  // it listens, but its backlog is full
  return std::nullopt;
}

}  // namespace

GpuLock lock_gpu(std::string_view name) {
  const auto address = abstract_address(name);
  for (int tries = 0; tries < kTries; ++tries) {
    auto socket = make_socket();
    if (!socket) return {};
    if (::bind(socket.get(), as_sockaddr(address), address.length) == 0) {
      if (::listen(socket.get(), kBacklog) != 0) return {};
      return {GpuLock::State::ours, std::move(socket)};
    }
    if (errno != EADDRINUSE) return {};
    if (auto other = look_at_holder(address)) return std::move(*other);
    (void)::nanosleep(&kPause, nullptr);
  }
  return {};
}

std::string describe(const GpuHolder& holder, std::string_view passwd_text) {
  const auto account = core::find_passwd(passwd_text, holder.uid);
  const auto user = account ? account->name : std::to_string(holder.uid);
  if (holder.pid == 0) return fmt::format("a process of user {}", user);
  return fmt::format("process {} of user {}", holder.pid, user);
}

}  // namespace ydl::agent
