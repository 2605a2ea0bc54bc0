#include "pslite/outbox.hpp"

namespace ydl::pslite {
namespace {

// The key of a message for its acknowledgement. It is not sent, because both sides compute it.
std::uint64_t signature(const Meta& meta, NodeId sender) {
  const auto app = static_cast<std::uint16_t>(meta.app_id.value_or(kEmptyValue));
  const auto from = static_cast<std::uint8_t>(number(sender));
  const auto to = static_cast<std::uint8_t>(number(kSchedulerId));
  return (std::uint64_t{app} << 48U) | (std::uint64_t{from} << 40U) | (std::uint64_t{to} << 32U) |
         (static_cast<std::uint64_t>(meta.timestamp.value_or(0)) << 1U) | (meta.request ? 1U : 0U);
}

Node list_entry(const NodeRecord& node) {
  return Node{.role = node.role,
              .id = node.id,
              .host = node.host,
              .port = node.port,
              .is_recovery = node.recovered,
              .customer_id = node.customers.empty() ? 0 : *node.customers.begin()};
}

}  // namespace

Meta Outbox::control(Command command) {
  Meta meta;
  meta.control = Control{.command = command};
  meta.timestamp = timestamp_;
  // Limited to 30 bits, because resending nodes shift it by one bit to build their key.
  timestamp_ = (timestamp_ + 1) & 0x3fffffff;
  return meta;
}

void Outbox::send_list(const NodeRecord& to, const Roster& roster) {
  Meta meta = control(Command::add_node);
  for (const NodeRecord& node : roster.nodes()) meta.control->nodes.push_back(list_entry(node));
  meta.control->nodes.push_back(own_);
  actions_.emplace_back(Send{*to.id, std::move(meta)});
}

void Outbox::send_change(const NodeRecord& to, const NodeRecord& changed) {
  Meta meta = control(Command::add_node);
  meta.control->nodes.push_back(list_entry(changed));
  meta.control->nodes.back().is_recovery = true;
  actions_.emplace_back(Send{*to.id, std::move(meta)});
}

void Outbox::release(NodeId node, std::int32_t app_id, std::int32_t customer) {
  Meta meta = control(Command::barrier);
  meta.control->barrier_group = 0;
  meta.app_id = app_id;
  meta.customer_id = customer;
  actions_.emplace_back(Send{node, std::move(meta)});
}

void Outbox::send_heartbeat(const NodeRecord& to) {
  Meta meta = control(Command::heartbeat);
  meta.control->nodes.push_back(own_);
  actions_.emplace_back(Send{*to.id, std::move(meta)});
}

void Outbox::acknowledge(const NodeRecord& node, const Meta& meta) {
  Meta reply;
  reply.control = Control{.command = Command::ack, .message_signature = signature(meta, *node.id)};
  actions_.emplace_back(Send{*node.id, std::move(reply)});
}

}  // namespace ydl::pslite
