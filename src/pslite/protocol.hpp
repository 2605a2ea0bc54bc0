#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

// The constants of ps-lite as MXNet 1.9.1 ships it. Names and numbers are facts of the wire.
namespace ydl::pslite {

enum class Role : std::int32_t { server = 0, worker = 1, scheduler = 2 };
enum class Command : std::int32_t { empty = 0, terminate = 1, add_node = 2, barrier = 3, ack = 4, heartbeat = 5 };

// The scheduler is 1; server rank r is 8 + 2r; worker rank r is 9 + 2r.
enum class NodeId : std::int32_t {};
inline constexpr NodeId kSchedulerId{1};

// What ps-lite sends for "no value" in ids, heads and customers.
inline constexpr std::int32_t kEmptyValue = std::numeric_limits<std::int32_t>::max();

// Barriers are for groups: any sum of these.
inline constexpr int kSchedulerGroup = 1;
inline constexpr int kServerGroup = 2;
inline constexpr int kWorkerGroup = 4;
inline constexpr int kAllGroups = kSchedulerGroup + kServerGroup + kWorkerGroup;

// Each dist kvstore a process creates is a "customer" with a number of its own.
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

// The ZeroMQ identity a node sends with: "ps9".
[[nodiscard]] inline std::string identity_of(NodeId id) {
  return "ps" + std::to_string(number(id));
}

// Nothing when the identity is not "ps" and a number: a node that has no id yet.
[[nodiscard]] inline std::optional<NodeId> parse_identity(std::string_view identity) {
  if (!identity.starts_with("ps") || identity.size() < 3 || identity[2] < '0' || identity[2] > '9') return std::nullopt;
  std::int32_t id = 0;
  const auto [end, error] = std::from_chars(identity.data() + 2, identity.data() + identity.size(), id);
  if (error != std::errc{} || end != identity.data() + identity.size()) return std::nullopt;
  return NodeId{id};
}

}  // namespace ydl::pslite
