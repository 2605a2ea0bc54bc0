#pragma once

#include "pslite/protocol.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ydl::pslite {

// The three messages of ps-lite as plain structs. An absent optional is an "empty" value of ps-lite.
struct Node {
  Role role = Role::worker;
  std::optional<NodeId> id = std::nullopt;  // absent until the scheduler assigns one
  // always sent back unchanged, because a node finds itself in a list by this string
  std::string host = {};
  std::int32_t port = 0;
  bool is_recovery = false;
  std::int32_t customer_id = 0;

  bool operator==(const Node&) const = default;
};

struct Control {
  Command command = Command::empty;
  std::vector<Node> nodes = {};
  std::optional<std::int32_t> barrier_group = std::nullopt;
  std::optional<std::uint64_t> message_signature = std::nullopt;

  bool operator==(const Control&) const = default;
};

struct Meta {
  std::optional<std::int32_t> head = std::nullopt;
  std::string body = {};
  std::optional<Control> control = std::nullopt;
  bool request = false;
  bool push = false;
  bool pull = false;
  bool simple_app = false;
  std::optional<std::int32_t> app_id = std::nullopt;
  std::optional<std::int32_t> timestamp = std::nullopt;
  std::vector<std::int32_t> data_types = {};
  std::optional<std::int32_t> customer_id = std::nullopt;
  std::optional<std::int32_t> data_size = std::nullopt;
  std::int32_t priority = 0;

  bool operator==(const Meta&) const = default;
};

}  // namespace ydl::pslite
