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
  AskStyle style = AskStyle::only_hosts;  // the strictest style
  AskPatience patience = {};
  HeartbeatOptions heartbeat = {};
};

// The news in an answer of the ResourceManager, after comparison with our requests.
struct AllocationUpdate {
  // only requested containers; unrequested ones are released automatically
  std::vector<Container> granted = {};
  // each container only once; without surplus containers, which the caller has never seen
  std::vector<ContainerStatus> completed = {};
  std::vector<Container> recovered = {};  // still running containers of an earlier attempt
  std::vector<NodeReport> changed_nodes = {};
  std::vector<ContainerId> will_be_preempted = {};
  std::vector<ContainerId> may_be_preempted = {};
  std::optional<hrpc::Token> new_token = std::nullopt;  // pass it to AppMaster::use_token() before the next call
};

// The master's side of the allocate protocol: requests, grants, releases, tokens. Pure: its input is what the job needs
// and what the ResourceManager answers; its output is what to send and when.
//
//   unregistered --registered()--> idle --next_request()--> waiting --on_response()--> idle
//     |      ^                                                 |
//     |      +--- on_response(), on_failure(): the ResourceManager has restarted
//     +--- on_registration_failure(): unregistered again, idle or over
class AllocatorFsm {
 public:
  enum class State {
    unregistered,  // only a registration may be sent, at the time of next_heartbeat()
    idle,          // waiting for the time of the next heartbeat
    waiting,       // waiting for the answer to a heartbeat
    over,          // the attempt is over: the master must exit
  };

  AllocatorFsm(AllocatorOptions options, std::span<const NodeReport> snapshot);

  // The needs of the job. A role is added once, before the registration, with a unique key.
  void add_role(RoleAsk role);
  void want(AskKey role, int more, core::Instant now);  // a negative number means fewer
  void release(const ContainerId& id);                  // gives back a container, whether it is running or not
  void avoid(const std::string& host);                  // requests no more containers on this host
  void forgive(const std::string& host);
  void set_progress(float progress) { progress_ = progress; }

  // What to do after a failed call.
  enum class Next {
    go_on,  // continue according to state() and next_heartbeat()
    end,    // the attempt is over, or the ResourceManager would refuse every repetition
  };

  [[nodiscard]] AllocationUpdate registered(const Registration& registration, core::Instant now);
  // If the answer to a registration was lost, the repetition fails with "already registered"; the master then
  // continues. Other failures are repeated at the time of next_heartbeat(), unless the attempt is over.
  [[nodiscard]] Next on_registration_failure(const core::Error& error, core::Instant now);
  // Call it only when idle. After a failure it returns the same request again, because the ResourceManager may have
  // handled it.
  [[nodiscard]] AllocateRequest next_request(core::Instant now);
  [[nodiscard]] AllocationUpdate on_response(const AllocateResponse& response, core::Instant now);

  [[nodiscard]] Next on_failure(const core::Error& error, core::Instant now);

  [[nodiscard]] State state() const { return state_; }
  // The time of the next call: of a registration while unregistered, else of a heartbeat.
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
  std::optional<AllocateRequest> unanswered_;  // sent, but it is unknown whether it arrived
  float progress_ = 0;
  core::Instant last_heartbeat_ = {};
  core::Instant register_at_ = {};

  std::map<ContainerId, Container> live_;
  std::set<ContainerId> surplus_;     // unrequested containers, which were released without reporting them
  std::set<ContainerId> completed_;   // already reported
  std::set<ContainerId> releasing_;   // released and not yet completed
  std::set<ContainerId> to_release_;  // the part of releasing_ that the ResourceManager was not told yet
  std::set<std::string> avoided_told_;
  std::map<NodeId, hrpc::Token> nm_tokens_;
  std::optional<hrpc::Token> am_rm_token_;
};

}  // namespace ydl::yarn
