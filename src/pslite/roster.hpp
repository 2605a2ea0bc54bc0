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
  silent,  // no heartbeats for too long; a new message makes it living again
  dead,    // ended; it may be replaced
  gone,    // ended permanently
  left,    // ended successfully
};

[[nodiscard]] NodeState state_after(Outlook outlook);

// A registered worker or server. A replacement takes over the record, including id and rank.
struct NodeRecord {
  Role role = Role::worker;
  std::optional<NodeId> id = std::nullopt;
  std::string host = {};
  std::uint16_t port = 0;
  std::optional<TaskId> task = std::nullopt;
  NodeState state = NodeState::living;
  bool recovered = false;  // the flag in the node lists: it skips MXNet's start barriers
  // replaced after the start barrier but before training: it gets its own answer to the start barrier
  bool starts_late = false;
  bool introduced = false;  // it has connected with its id
  bool resends = false;     // the node uses PS_RESEND, so its messages must be acknowledged
  std::set<std::int32_t> customers = {};
  std::set<LinkId> links = {};
  std::map<std::int32_t, std::int32_t> last_barrier = {};  // customer -> timestamp
  std::optional<Instant> last_heartbeat = std::nullopt;

  [[nodiscard]] bool responsive() const { return state == NodeState::living || state == NodeState::silent; }
};

// The expected tasks, the registered nodes, and which task each node belongs to. Independent of barriers and messages.
class Roster {
 public:
  Roster(int workers, int servers) : workers_(workers), servers_(servers) {}

  // Must be called before the first registration.
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
  // The task that was expected to register from this address. `exact` if the port was expected too.
  struct TaskMatch {
    TaskId task;
    bool exact = false;
  };
  [[nodiscard]] std::optional<TaskMatch> task_at(Role role, const std::string& host, std::uint16_t port) const;

  // Whether a task of this role may register from this address. Also true if the host of a task is a name or unknown.
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
  // Assigns ranks: a known task gets its index, the other nodes get the remaining ranks in the order of host and port.
  void assign_ids();

  [[nodiscard]] NodeRecord* find(NodeId id);
  [[nodiscard]] const NodeRecord* find(NodeId id) const;
  [[nodiscard]] NodeRecord* find(const TaskId& task);
  [[nodiscard]] NodeRecord* find(Role role, const std::string& host, std::uint16_t port);
  // The record that a new node can take over: that of its task, if its address identifies it, or else that of a dead
  // node of its role.
  [[nodiscard]] NodeRecord* replaceable_record(const Node& node);

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
  // After assign_ids(): servers by rank, then workers by rank.
  std::vector<NodeRecord> nodes_;
};

// "worker:1", or "worker 1 (10.0.0.7:4711)" if the task is not known.
[[nodiscard]] std::string describe(const Member& member);

}  // namespace ydl::pslite
