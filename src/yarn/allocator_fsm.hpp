#pragma once

#include "core/error.hpp"
#include "yarn/allocation.hpp"
#include "yarn/heartbeat_policy.hpp"
#include "yarn/node_table.hpp"
#include "yarn/role_asks.hpp"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace ydl::yarn {

struct AllocatorOptions {
  AskStyle style = AskStyle::only_hosts;  // the strictest
  AskPatience patience = {};
  HeartbeatOptions heartbeat = {};
};

// What the ResourceManager answered, in terms of what is wanted.
struct AllocationUpdate {
  std::vector<Container> granted = {};          // wanted ones; the others are released already
  std::vector<ContainerStatus> completed = {};  // each container once; not those of which nobody was told
  std::vector<Container> recovered = {};        // of an earlier attempt, still running
  std::vector<NodeReport> changed_nodes = {};
  std::vector<ContainerId> will_be_preempted = {};
  std::vector<ContainerId> may_be_preempted = {};
  std::optional<hrpc::Token> new_token = std::nullopt;  // AppMaster::use_token() before the next call
};

// A master's side of the allocate protocol: asks, grants, releases, tokens. Pure: it is told what is wanted and what
// the ResourceManager answered, and says what to send and when.
//
//   unregistered --registered()--> idle --next_request()--> waiting --on_response()--> idle
//     |      ^                                                 |
//     |      +--- on_response(), on_failure(): the ResourceManager has restarted
//     +--- on_registration_failure(): unregistered again, idle or over
class AllocatorFsm {
 public:
  enum class State {
    unregistered,  // nothing may be sent but a registration, and that at the time of next_heartbeat()
    idle,          // the next heartbeat's time will come
    waiting,       // for the answer to a heartbeat
    over,          // the attempt is: the master has to end
  };

  AllocatorFsm(AllocatorOptions options, std::span<const NodeReport> snapshot);

  // What is wanted. A role is added once, before the registration; its key is its own.
  void add_role(RoleAsk role);
  void want(AskKey role, int more, core::Instant now);  // fewer with a negative number
  void release(const ContainerId& id);                  // a grant that is not needed, or a container that must end
  void avoid(const std::string& host);                  // no more containers there
  void forgive(const std::string& host);
  void set_progress(float progress) { progress_ = progress; }

  // What follows from a failed call.
  enum class Next {
    go_on,  // what state() and next_heartbeat() say
    end,    // the attempt is over, or the ResourceManager refuses what is asked and would do so again
  };

  [[nodiscard]] AllocationUpdate registered(const Registration& registration, core::Instant now);
  // A master whose first registration was served and not answered is told that it is registered already: it goes on.
  // Any other failure is tried again at the time of next_heartbeat(), unless the attempt is over.
  [[nodiscard]] Next on_registration_failure(const core::Error& error, core::Instant now);
  // Only when idle. After a failure the same request comes again: the ResourceManager may have served it.
  [[nodiscard]] AllocateRequest next_request(core::Instant now);
  [[nodiscard]] AllocationUpdate on_response(const AllocateResponse& response, core::Instant now);

  [[nodiscard]] Next on_failure(const core::Error& error, core::Instant now);

  [[nodiscard]] State state() const { return state_; }
  // When the next call is due: a registration while unregistered, else a heartbeat.
  [[nodiscard]] core::Instant next_heartbeat(core::Instant now) const;
  [[nodiscard]] int open_asks() const;
  [[nodiscard]] int open_asks(AskKey role) const;
  [[nodiscard]] const NodeTable& nodes() const { return nodes_; }
  [[nodiscard]] const hrpc::Token* nm_token(const NodeId& node) const;

 private:
  void start_over(core::Instant now);
  void plan(core::Instant now);
  void keep_tokens(std::span<const NmToken> tokens);
  void take_grants(const AllocateResponse& response, AllocationUpdate& update, core::Instant now);
  void take_completions(const AllocateResponse& response, AllocationUpdate& update);
  void take_nodes(const AllocateResponse& response, AllocationUpdate& update);
  void recover(std::span<const Container> containers, AllocationUpdate& update);
  [[nodiscard]] bool has_news() const;
  [[nodiscard]] RoleAsks* find(const AskKey& key);

  AllocatorOptions options_;
  NodeTable nodes_;
  State state_ = State::unregistered;
  std::map<AskKey, RoleAsks> roles_;
  std::int32_t response_id_ = 0;
  std::optional<AllocateRequest> unanswered_;  // sent, and nobody knows whether it arrived
  float progress_ = 0;
  core::Instant last_heartbeat_ = {};
  core::Instant register_at_ = {};

  std::map<ContainerId, Container> live_;
  std::set<ContainerId> surplus_;     // released before anybody update of them
  std::set<ContainerId> completed_;   // told already
  std::set<ContainerId> releasing_;   // until they are completed
  std::set<ContainerId> to_release_;  // of these, those still to be told
  std::set<std::string> avoided_told_;
  std::map<NodeId, hrpc::Token> nm_tokens_;
  std::optional<hrpc::Token> am_rm_token_;
};

}  // namespace ydl::yarn
