#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

// The constants of ps-lite in MXNet 1.9.1. The numbers are part of the wire format.
namespace ydl::pslite {

enum class Role : std::int32_t { server = 0, worker = 1, scheduler = 2 };
enum class Command : std::int32_t { empty = 0, terminate = 1, add_node = 2, barrier = 3, ack = 4, heartbeat = 5 };

// The scheduler is 1, the server of rank r is 8 + 2r, and the worker of rank r is 9 + 2r.
enum class NodeId : std::int32_t {};
inline constexpr NodeId kSchedulerId{1};

// The value of ps-lite for "empty" in ids, heads and customers.
inline constexpr std::int32_t kEmptyValue = std::numeric_limits<std::int32_t>::max();

// A barrier is for a group, which is any sum of these numbers.
inline constexpr int kSchedulerGroup = 1;
inline constexpr int kServerGroup = 2;
inline constexpr int kWorkerGroup = 4;
inline constexpr int kAllGroups = kSchedulerGroup + kServerGroup + kWorkerGroup;

// Each dist kvstore of a process is a "customer" with its own number.
inline constexpr std::int32_t kMaxCustomer = 63;

[[nodiscard]] constexpr int group_of(Role role) {
  switch (role) {
    case Role::server:
      return kServerGroup;
    case Role::worker:
      return kWorkerGroup;
    case Role::scheduler:
      return kSchedulerGroup;
  }
  return 0;
}

[[nodiscard]] constexpr NodeId id_of(Role role, int rank) {
  return NodeId{(role == Role::server ? 8 : 9) + 2 * rank};
}
[[nodiscard]] constexpr std::int32_t number(NodeId id) {
  return static_cast<std::int32_t>(id);
}

[[nodiscard]] constexpr std::string_view name(Role role) {
  switch (role) {
    case Role::server:
      return "server";
    case Role::worker:
      return "worker";
    case Role::scheduler:
      return "scheduler";
  }
  return "node";
}

// The ZeroMQ identity of a node: "ps9".
[[nodiscard]] inline std::string identity_of(NodeId id) {
  return "ps" + std::to_string(number(id));
}

// Nothing if the identity is not "ps" and a number, which is normal for a node without an id.
[[nodiscard]] inline std::optional<NodeId> parse_identity(std::string_view identity) {
  if (!identity.starts_with("ps") || identity.size() < 3 || identity[2] < '0' || identity[2] > '9') return std::nullopt;
  std::int32_t id = 0;
  const auto [end, error] = std::from_chars(identity.data() + 2, identity.data() + identity.size(), id);
  if (error != std::errc{} || end != identity.data() + identity.size()) return std::nullopt;
  return NodeId{id};
}

}  // namespace ydl::pslite
