#pragma once

#include "yarn/ask_policy.hpp"
#include "yarn/node_table.hpp"

#include <map>
#include <optional>
#include <vector>

namespace ydl::yarn {

// How long hosts are named, since the last grant or the ask.
struct AskPatience {
  core::Millis only_hosts{2'000};  // and nothing else taken: two heartbeats of a NodeManager
  core::Millis by_host{3'000};     // then anywhere
};

// One role's asks over time: what we want, and what the ResourceManager has been told. Counts are absolute and the
// ResourceManager takes off what it grants, so we do the same and say only what differs: a count that is repeated after
// a grant would be granted again. Pure.
class RoleAsks {
 public:
  RoleAsks(RoleAsk role, AskStyle style) : role_(std::move(role)), style_(style) {}

  // More, or fewer with a negative number; never below none.
  void want(int more, core::Instant now);
  // A container of this role has come. Whether it was wanted: if not, give it back.
  [[nodiscard]] bool grant(const Container& container, const NodeTable& nodes, core::Instant now);
  // A container of this role on that host that no ask of ours was for: of an earlier attempt.
  void recovered(const std::string& host) { ++there_[host]; }
  void ended(const std::string& host);

  // Makes a plan where there is none: after want(), forget_plan(), or too long a time without a grant. `rooms` is
  // without what other roles have named.
  void plan(std::vector<NodeRoom> rooms, core::Instant now, const AskPatience& patience);
  // The scheduler looks at memory only: a host without free vcores is not full.
  void ignore_vcores() { counts_vcores_ = false; }
  void forget_plan();
  [[nodiscard]] bool names(const std::string& host) const;
  // Its plan's containers, off the room of the hosts that are named.
  void take_named(std::vector<NodeRoom>& rooms) const;

  // What is to be told since the last time.
  [[nodiscard]] std::vector<PlaceAsk> changes();
  [[nodiscard]] bool has_changes() const { return wanted_ != told_ || needs_plan_; }
  // The ResourceManager knows nothing any more: all is to be told again.
  void forget_told() { told_.clear(); }

  [[nodiscard]] const RoleAsk& role() const { return role_; }
  [[nodiscard]] int open() const { return open_; }
  [[nodiscard]] core::Instant waiting_since() const { return progress_; }

 private:
  [[nodiscard]] AskStyle style_now(core::Instant now, const AskPatience& patience) const;

  RoleAsk role_;
  AskStyle style_;
  std::optional<Resource> size_ = {};  // what one really takes: the scheduler rounds up
  bool counts_vcores_ = true;
  int open_ = 0;
  AskTable wanted_ = {};
  AskTable told_ = {};
  bool needs_plan_ = false;
  AskStyle planned_ = AskStyle::anywhere;
  core::Instant progress_ = {};  // the last grant, or when it was asked
  std::map<std::string, int> there_ = {};
};

}  // namespace ydl::yarn
