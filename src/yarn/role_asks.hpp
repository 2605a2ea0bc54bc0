#pragma once

#include "yarn/ask_policy.hpp"
#include "yarn/node_table.hpp"

#include <map>
#include <optional>
#include <vector>

namespace ydl::yarn {

// How long hosts are named in requests, measured from the last grant or the request.
struct AskPatience {
  core::Millis only_hosts{2'000};  // no other hosts are allowed during this time: two heartbeats of a NodeManager
  core::Millis by_host{3'000};     // afterwards no hosts are named
};

// The requests of one role: what is needed, and what the ResourceManager was told. Counts are absolute, and the
// ResourceManager reduces them with each grant. So we reduce them in the same way and send only differences: repeating
// a count after a grant would request the containers again. Pure.
class RoleAsks {
 public:
  RoleAsks(RoleAsk role, AskStyle style) : role_(std::move(role)), style_(style) {}

  // Requests more containers, or fewer with a negative number; the total never becomes negative.
  void want(int more, core::Instant now);
  // Records a granted container. Returns whether it is needed; if not, it must be released.
  [[nodiscard]] bool grant(const Container& container, const NodeTable& nodes, core::Instant now);
  // Records a container of an earlier attempt on this host, which was not requested by this attempt.
  void recovered(const std::string& host) { ++there_[host]; }
  void ended(const std::string& host);

  // Makes a new plan if necessary: after a change of the need, after forget_plan(), or after too long without a grant.
  // `rooms` must not contain the room that other roles have requested by host.
  void plan(std::vector<NodeRoom> rooms, core::Instant now, const AskPatience& patience);
  // For schedulers that consider memory only: a host without free vcores is not full.
  void ignore_vcores() { counts_vcores_ = false; }
  void forget_plan();
  [[nodiscard]] bool names(const std::string& host) const;
  // Subtracts the containers of this role's plan from the room of the named hosts.
  void take_named(std::vector<NodeRoom>& rooms) const;

  // The changes since the last call, to be sent to the ResourceManager.
  [[nodiscard]] std::vector<LocationAsk> changes();
  [[nodiscard]] bool has_changes() const { return wanted_ != told_ || needs_plan_; }
  // The ResourceManager was restarted: everything must be sent again.
  void forget_told() { told_.clear(); }

  [[nodiscard]] const RoleAsk& role() const { return role_; }
  [[nodiscard]] int open() const { return open_; }
  [[nodiscard]] core::Instant waiting_since() const { return progress_; }

 private:
  [[nodiscard]] AskStyle style_now(core::Instant now, const AskPatience& patience) const;

  RoleAsk role_;
  AskStyle style_;
  std::optional<Resource> size_ = {};  // the real size of a container, which the scheduler rounds up
  bool counts_vcores_ = true;
  int open_ = 0;
  AskTable wanted_ = {};
  AskTable told_ = {};
  bool needs_plan_ = false;
  AskStyle planned_ = AskStyle::anywhere;
  core::Instant progress_ = {};  // time of the last grant or of the request
  std::map<std::string, int> there_ = {};
};

}  // namespace ydl::yarn
