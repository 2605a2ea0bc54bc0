#pragma once

#include "pslite/roster.hpp"
#include "pslite/scheduler_types.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace ydl::pslite {

// Collects the scheduler's actions in order: messages to nodes, connections to open or close, notices for the master.
class Outbox {
 public:
  // `own`: the scheduler's entry in the node list.
  explicit Outbox(Node own) : own_(std::move(own)) {}

  void set_own_host(std::string host) { own_.host = std::move(host); }

  [[nodiscard]] std::vector<Action> take() { return std::exchange(actions_, {}); }

  void tell(Notice notice) { actions_.emplace_back(Tell{std::move(notice)}); }
  void dial(const NodeRecord& node) { actions_.emplace_back(Dial{*node.id, node.host, node.port}); }
  void hang_up(const NodeRecord& node) { actions_.emplace_back(HangUp{*node.id}); }
  void drop(LinkId link) { actions_.emplace_back(DropLink{link}); }

  // Sends the list of all nodes, including the scheduler.
  void send_list(const NodeRecord& to, const Roster& roster);
  // Sends the new address of a replaced node.
  void send_change(const NodeRecord& to, const NodeRecord& changed);
  // Lets a node pass a barrier.
  void release(NodeId node, std::int32_t app_id, std::int32_t customer);
  void send_heartbeat(const NodeRecord& to);
  // Acknowledges a message, for nodes that resend unacknowledged messages.
  void acknowledge(const NodeRecord& node, const Meta& meta);

 private:
  [[nodiscard]] Meta control(Command command);

  Node own_;
  std::int32_t timestamp_ = 0;
  std::vector<Action> actions_;
};

}  // namespace ydl::pslite
