#include "yarn/role_asks.hpp"

#include <algorithm>

namespace ydl::yarn {
namespace {

bool take_one(AskTable& table, const std::string& location) {
  const auto found = table.find(location);
  if (found == table.end() || found->second.count == 0) return false;
  if (--found->second.count == 0) table.erase(found);
  return true;
}

// Reduces the counts like the scheduler does after a grant: at the most specific requested location and all levels
// above it.
void take_grant(AskTable& table, const std::string& host, const std::string& rack) {
  take_one(table, host);
  take_one(table, rack);
  take_one(table, std::string(kAnywhere));
}

}  // namespace

void RoleAsks::want(int more, core::Instant now) {
  const int before = open_;
  open_ = std::max(0, open_ + more);
  if (open_ == before) return;
  if (more > 0) progress_ = now;
  forget_plan();
}

bool RoleAsks::grant(const Container& container, const NodeTable& nodes, core::Instant now) {
  const auto rack = nodes.rack_of(container.node.host);
  take_grant(told_, container.node.host, rack);
  if (open_ == 0) return false;
  --open_;
  ++there_[container.node.host];
  progress_ = now;
  size_ = container.resource;
  take_grant(wanted_, container.node.host, rack);
  if (open_ == 0) wanted_.clear();
  return true;
}

void RoleAsks::ended(const std::string& host) {
  if (const auto found = there_.find(host); found != there_.end() && --found->second == 0) there_.erase(found);
}

AskStyle RoleAsks::style_now(core::Instant now, const AskPatience& patience) const {
  const auto waited = now - progress_;
  if (waited >= patience.by_host) return AskStyle::anywhere;
  return std::max(style_, waited >= patience.only_hosts ? AskStyle::by_host : AskStyle::only_hosts);
}

void RoleAsks::plan(std::vector<NodeRoom> rooms, core::Instant now, const AskPatience& patience) {
  const auto style = style_now(now, patience);
  if (!needs_plan_ && style <= planned_) return;  // a plan does not become stricter after a grant
  for (auto& room : rooms) {
    if (const auto found = there_.find(room.host); found != there_.end()) room.of_role = found->second;
  }
  auto role = role_;
  role.resource = size_.value_or(role_.resource);
  if (!counts_vcores_) role.resource.vcores = 0;
  wanted_ = plan_asks(role, open_, rooms, style);
  planned_ = style;
  needs_plan_ = false;
}

void RoleAsks::forget_plan() {
  needs_plan_ = true;
}

bool RoleAsks::names(const std::string& host) const {
  return wanted_.contains(host);
}

void RoleAsks::take_named(std::vector<NodeRoom>& rooms) const {
  for (auto& room : rooms) {
    const auto named = wanted_.find(room.host);
    if (named != wanted_.end()) room.free = room.free - size_.value_or(role_.resource) * named->second.count;
  }
}

std::vector<LocationAsk> RoleAsks::changes() {
  std::vector<LocationAsk> changes;
  const auto tell = [&](const std::string& location, const LocationCount& count) {
    changes.push_back({.key = role_.key,
                       .location = location,
                       .resource = role_.resource,
                       .count = count.count,
                       .relax_locality = count.relax_locality,
                       .label = location == kAnywhere ? role_.label : ""});
  };
  for (const auto& [location, count] : wanted_) {
    const auto told = told_.find(location);
    if (told == told_.end() || told->second != count) tell(location, count);
  }
  for (const auto& [location, count] : told_) {
    if (!wanted_.contains(location)) tell(location, {0, count.relax_locality});
  }
  told_ = wanted_;
  return changes;
}

}  // namespace ydl::yarn
