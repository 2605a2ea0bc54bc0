#pragma once

#include "pslite/scheduler_fsm.hpp"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ydl::pslite {

// Simulates the nodes and the master of a job for the state machine, and records its actions.
class FsmScript {
 public:
  explicit FsmScript(int workers = 2, int servers = 1, FsmOptions options = {})
      : fsm_([&] {
          options.workers = workers;
          options.servers = servers;
          options.host = "sched";
          options.port = 9000;
          return options;
        }()) {}

  // ---- events
  void event(const Event& event) {
    actions.clear();
    for (Action& action : fsm_.handle(event, now)) {
      if (const auto* told = std::get_if<Tell>(&action)) notices.push_back(told->notice);
      actions.push_back(std::move(action));
    }
  }
  void wait(Millis time) {
    now += time;
    event(Tick{});
  }
  LinkId connect(const std::string& identity = "") { return connect_from("", identity); }
  LinkId connect_from(const std::string& address, const std::string& identity = "", bool vouched = false) {
    const LinkId link{next_link_++};
    event(LinkOpened{.link = link, .identity = identity, .address = address, .vouched = vouched});
    return link;
  }
  void message(LinkId link, Command command, const std::function<void(Meta&)>& change = {}) {
    Meta meta;
    meta.control = Control{.command = command};
    if (change) change(meta);
    event(Received{.link = link, .meta = meta});
  }
  // Connects and registers. Returns the connection.
  LinkId join(Role role, const std::string& host, int port, int customer = 0) {
    const LinkId link = connect();
    register_on(link, role, host, port, customer);
    return link;
  }
  void register_on(LinkId link, Role role, const std::string& host, int port, int customer = 0) {
    message(link, Command::add_node, [&](Meta& meta) {
      meta.control->nodes = {Node{.role = role, .host = host, .port = port, .customer_id = customer}};
      meta.timestamp = 0;
    });
  }
  // Connects once as this node.
  LinkId as(NodeId node) {
    if (const auto found = node_links_.find(node); found != node_links_.end()) return found->second;
    return node_links_[node] = connect(identity_of(node));
  }
  void forget(NodeId node) { node_links_.erase(node); }
  void barrier(NodeId node, int group, int customer = 0, std::optional<int> timestamp = std::nullopt) {
    message(as(node), Command::barrier, [&](Meta& meta) {
      meta.control->barrier_group = group;
      meta.request = true;
      meta.app_id = 0;
      meta.customer_id = customer;
      meta.timestamp = timestamp ? *timestamp : ++timestamp_;
    });
  }
  // Registers one server "s" and workers "w0", "w1", …, and lets them pass the start barrier.
  void start() {
    register_all();
    all_enter(kAllGroups);
  }
  void register_all() {
    for (int i = 0; i < fsm_.roster().wanted(Role::server); ++i) join(Role::server, "s" + std::to_string(i), 1);
    for (int i = 0; i < fsm_.roster().wanted(Role::worker); ++i) join(Role::worker, "w" + std::to_string(i), 1);
  }
  void all_enter(int group) {
    std::vector<NodeId> ids;
    for (const NodeRecord& node : fsm_.roster().nodes()) {
      if ((group_of(node.role) & group) != 0) ids.push_back(*node.id);
    }
    for (const NodeId id : ids) barrier(id, group);
  }

  // ---- results of the last event
  template <class T>
  [[nodiscard]] std::vector<T> wanted() const {
    std::vector<T> found;
    for (const Action& action : actions) {
      if (const T* one = std::get_if<T>(&action)) found.push_back(*one);
    }
    return found;
  }
  [[nodiscard]] std::vector<Meta> sent(NodeId node) const {
    std::vector<Meta> found;
    for (const Send& send : wanted<Send>()) {
      if (send.node == node) found.push_back(send.meta);
    }
    return found;
  }
  // The nodes that got an answer to a barrier after the last event.
  [[nodiscard]] std::vector<NodeId> released() const {
    std::vector<NodeId> found;
    for (const Send& send : wanted<Send>()) {
      if (send.meta.control->command == Command::barrier && !send.meta.request) found.push_back(send.node);
    }
    return found;
  }
  // All notices of this type since the start.
  template <class T>
  [[nodiscard]] std::vector<T> told() const {
    std::vector<T> found;
    for (const Notice& notice : notices) {
      if (const T* one = std::get_if<T>(&notice)) found.push_back(*one);
    }
    return found;
  }

  [[nodiscard]] const SchedulerFsm& fsm() const { return fsm_; }
  Instant now{};
  std::vector<Action> actions;
  std::vector<Notice> notices;

 private:
  SchedulerFsm fsm_;
  std::uint64_t next_link_ = 1;
  std::map<NodeId, LinkId> node_links_;
  int timestamp_ = 0;
};

inline constexpr NodeId kServer0{8};
inline constexpr NodeId kWorker0{9};
inline constexpr NodeId kWorker1{11};

inline TaskId worker(int index) {
  return {.role = "worker", .index = index};
}
inline TaskId server(int index) {
  return {.role = "server", .index = index};
}

}  // namespace ydl::pslite
