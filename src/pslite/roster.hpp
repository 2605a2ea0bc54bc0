#pragma once

#include "pslite/scheduler_types.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ydl::pslite {

enum class NodeState {
  living,
  silent,  // declared dead for want of heartbeats; a sign of life brings it back
  dead,    // ended, and may be replaced
  gone,    // ended for good
  left,    // ended with success
};

[[nodiscard]] NodeState state_after(Outlook outlook);

// One worker or server, from its registration. A replacement takes over the record, id and rank included.
struct NodeRecord {
  Role role = Role::worker;
  std::optional<NodeId> id = std::nullopt;
  std::string host = {};
  std::uint16_t port = 0;
  std::optional<TaskId> task = std::nullopt;
  NodeState state = NodeState::living;
  bool recovered = false;    // what the lists say of it: it skips MXNet's start barriers
  bool starts_late = false;  // replaced before training began, after the start barrier: its own is answered alone
  bool introduced = false;   // it has connected with its id
  bool resends = false;      // PS_RESEND is on at the node: it wants its messages acknowledged
  std::set<std::int32_t> customers = {};
  std::set<LinkId> links = {};
  std::map<std::int32_t, std::int32_t> last_barrier = {};  // customer -> timestamp
  std::optional<Instant> last_heartbeat = std::nullopt;

  [[nodiscard]] bool responsive() const { return state == NodeState::living || state == NodeState::silent; }
};

// Who was expected, who came, and which task is which node. Knows nothing of barriers and messages.
class Roster {
 public:
  Roster(int workers, int servers) : workers_(workers), servers_(servers) {}

  // Before anybody has registered.
  void expect_workers(int workers) { workers_ = workers; }

  // ---- tasks
  struct Task {
    Role role = Role::worker;
    std::string host = {};
    std::uint16_t port = 0;
    std::optional<Outlook> ended = std::nullopt;
    std::string how = {};
  };
  void expect(const Expect& expected);
  [[nodiscard]] Task& ended(const NodeExited& exited);
  [[nodiscard]] const std::map<TaskId, Task>& tasks() const { return tasks_; }
  // The task that was to register from this address. `exact` when the port was named too.
  struct TaskMatch {
    TaskId task;
    bool exact = false;
  };
  [[nodiscard]] std::optional<TaskMatch> task_at(Role role, const std::string& host, std::uint16_t port) const;

  // Whether a task of that role may call from this address. True as well where a task's host is a name, or not known.
  [[nodiscard]] bool has_task_at(Role role, const std::string& address) const;

  // ---- nodes
  [[nodiscard]] int wanted(Role role) const { return role == Role::worker ? workers_ : servers_; }
  [[nodiscard]] int wanted() const { return workers_ + servers_; }
  [[nodiscard]] int count(Role role) const;
  [[nodiscard]] bool complete() const { return static_cast<int>(nodes_.size()) == wanted(); }
  [[nodiscard]] bool numbered() const { return numbered_; }
  [[nodiscard]] std::vector<NodeRecord>& nodes() { return nodes_; }
  [[nodiscard]] const std::vector<NodeRecord>& nodes() const { return nodes_; }
  [[nodiscard]] NodeRecord& add(NodeRecord node);
  void remove(const NodeRecord& node);
  // Gives ranks: a known task gets its index, the others what is left, in the order of host and port.
  void assign_ids();

  [[nodiscard]] NodeRecord* find(NodeId id);
  [[nodiscard]] const NodeRecord* find(NodeId id) const;
  [[nodiscard]] NodeRecord* find(const TaskId& task);
  [[nodiscard]] NodeRecord* find(Role role, const std::string& host, std::uint16_t port);
  // The place that a new node can take over: that of the task it is, if its address tells; else that of a dead node of
  // its role.
  [[nodiscard]] NodeRecord* place_for(const Node& node);

  // ---- words
  [[nodiscard]] Member member(const NodeRecord& node) const;
  // "2 of 2 servers and 1 of 2 workers have registered; missing: worker:1"
  [[nodiscard]] std::string registration_text() const;

 private:
  bool rank_by_task(Role role);
  [[nodiscard]] std::optional<std::size_t> index_of(NodeId id) const;
  [[nodiscard]] std::string missing_text(Role role) const;

  int workers_;
  int servers_;
  bool numbered_ = false;
  std::map<TaskId, Task> tasks_;
  // Once numbered: servers by rank, then workers by rank.
  std::vector<NodeRecord> nodes_;
};

// "worker:1", or "worker 1 (10.0.0.7:4711)" where the task is not known.
[[nodiscard]] std::string describe(const Member& member);

}  // namespace ydl::pslite
