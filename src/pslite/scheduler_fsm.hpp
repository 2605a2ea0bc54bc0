#pragma once

#include "pslite/barriers.hpp"
#include "pslite/heartbeats.hpp"
#include "pslite/newcomers.hpp"
#include "pslite/outbox.hpp"
#include "pslite/roster.hpp"
#include "pslite/scheduler_types.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ydl::pslite {

// The state machine of a ps-lite scheduler: registration, ids, barriers, and the end and replacement of nodes. Pure:
// events and the time in, actions out. docs/pslite.md describes the life cycle and the reasons for the decisions.
//
//   registering ──all are there──> running ──barrier of all, the second time──> finished
//        └────────────────────────────┴──────── cannot continue ──────────────> failed
//
// Its state is in parts: Roster (tasks and nodes), Barriers (waiting nodes), Newcomers (nodes waiting to replace
// others), Heartbeats (silent nodes). Outbox collects the actions.
class SchedulerFsm {
 public:
  enum class State { registering, running, finished, failed };

  explicit SchedulerFsm(FsmOptions options);

  [[nodiscard]] std::vector<Action> handle(const Event& event, Instant now);

  // The latest time for the next Tick; nothing if there is no deadline.
  [[nodiscard]] std::optional<Instant> next_deadline() const;

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] const Roster& roster() const { return roster_; }

 private:
  struct Link {
    std::optional<NodeId> node = std::nullopt;  // from its identity
    std::string address = {};                   // empty if unknown
    bool vouched = false;
  };

  void on(const Begin& event, Instant now);
  void on(const Expect& event, Instant now);
  void on(const NodeExited& event, Instant now);
  void on(const LinkOpened& event, Instant now);
  void on(const LinkClosed& event, Instant now);
  void on(const Received& event, Instant now);
  void on(const Unreachable& event, Instant now);
  void on(const Tick& event, Instant now);

  // registration
  void refuse_unknown_peer(LinkId link, std::string address, Role role);
  void add_node(LinkId link, const Meta& meta, Instant now);
  void join(LinkId link, const Node& node, Instant now);
  void register_node(LinkId link, const Node& node);
  void all_registered();
  void place_newcomers(Instant now);
  void replace(NodeRecord& record, LinkId link, const Node& node);
  void refuse(const Newcomer& newcomer, std::string why);
  void check_registration();

  // life and death
  void died(NodeRecord& node, NodeState state, const std::string& why, Instant now);
  void attribute_exits(Instant now);
  void alive(NodeRecord& node);
  void check_heartbeats(Instant now);

  // barriers
  void barrier(NodeRecord& node, LinkId link, const Meta& meta, Instant now);
  void check_barriers(Instant now);
  void check_barrier(Barriers::Key key, Instant now);
  void open_barrier(Barriers::Key key, Instant now);

  // ends
  [[nodiscard]] bool is_over() const { return state_ == State::finished || state_ == State::failed; }
  void violation(LinkId link, const std::string& what);
  void fail_job(Failure failure, std::string sentence);

  FsmOptions options_;
  State state_ = State::registering;
  Roster roster_;
  Barriers barriers_;
  Heartbeats heartbeats_;
  Newcomers newcomers_;
  Outbox outbox_;
  std::map<LinkId, Link> links_;
  std::set<std::string> unknown_peers_;   // addresses that were already reported
  std::vector<NodeExited> unattributed_;  // ended tasks whose node is not known yet
  std::optional<Instant> registration_deadline_;
};

}  // namespace ydl::pslite
