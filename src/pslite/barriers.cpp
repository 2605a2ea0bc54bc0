#include "pslite/barriers.hpp"

#include "core/assert.hpp"
#include "core/strings.hpp"

#include <utility>

#include <fmt/format.h>

namespace ydl::pslite {
namespace {

std::string group_name(int group) {
  std::vector<std::string> names;
  if ((group & kWorkerGroup) != 0) names.emplace_back("workers");
  if ((group & kServerGroup) != 0) names.emplace_back("servers");
  return core::join(names, " and ");
}

bool has_ended_for_good(const NodeRecord& node) {
  return node.state == NodeState::gone || node.state == NodeState::left;
}

}  // namespace

void Barriers::enter(Key key, NodeId node, std::int32_t app_id, Instant now) {
  waiting_.try_emplace(key, Barrier{.app_id = app_id, .since = now}).first->second.entered.insert(node);
}

void Barriers::withdraw(NodeId node) {
  for (auto& [key, barrier] : waiting_) barrier.entered.erase(node);
  std::erase_if(waiting_, [](const auto& entry) { return entry.second.entered.empty(); });
}

Barriers::Opened Barriers::open(Key key) {
  const auto found = waiting_.find(key);
  YDL_ASSERT(found != waiting_.end());
  Opened opened{.barrier = std::move(found->second)};
  waiting_.erase(found);
  if (key.group == kWorkerGroup) training_ = true;
  const bool is_of_all = key.group == kAllGroups && key.customer == 0;
  if (is_of_all && std::exchange(started_, true)) opened.passed = Passed::last;
  return opened;
}

std::vector<Barriers::Key> Barriers::keys() const {
  std::vector<Key> keys;
  for (const auto& [key, barrier] : waiting_) keys.push_back(key);
  return keys;
}

// A second kvstore in a process is created by workers only, so its barriers have no servers.
std::vector<const NodeRecord*> Barriers::members(Key key, const Roster& roster) const {
  int group = key.group;
  if (key.customer != 0) {
    int present = 0;
    for (const NodeRecord& node : roster.nodes()) {
      if (node.customers.contains(key.customer)) present |= group_of(node.role);
    }
    if ((group & present) != 0) group &= present;
  }
  const bool last = key.group == kAllGroups && started_;
  // A node at the last barrier never reaches another one, so a worker restarted that late must not wait for it.
  const auto at_end = started_ ? waiting_.find({.group = kAllGroups, .customer = key.customer}) : waiting_.end();
  std::vector<const NodeRecord*> found;
  for (const NodeRecord& node : roster.nodes()) {
    if ((group_of(node.role) & group) == 0) continue;
    if (last && has_ended_for_good(node)) continue;
    if (!last && at_end != waiting_.end() && at_end->second.entered.contains(*node.id)) continue;
    found.push_back(&node);
  }
  return found;
}

bool Barriers::is_complete(Key key, const Roster& roster) const {
  return waiting_.at(key).entered.size() >= members(key, roster).size();
}

std::optional<std::string> Barriers::why_broken(Key key, const Roster& roster) const {
  const Barrier& barrier = waiting_.at(key);
  for (const NodeRecord* node : members(key, roster)) {
    if (!has_ended_for_good(*node)) continue;
    const NodeRecord* waiting = roster.find(*barrier.entered.begin());
    const auto others = static_cast<std::int64_t>(barrier.entered.size()) - 1;
    return fmt::format("{}{} would wait forever at a barrier of the {}: {} {} and will not be restarted",
                       describe(roster.member(*waiting)),
                       others > 0 ? fmt::format(" and {}", core::plural(others, "other")) : "", group_name(key.group),
                       describe(roster.member(*node)),
                       node->state == NodeState::left ? "ended before reaching it" : "failed");
  }
  return std::nullopt;
}

std::vector<std::string> Barriers::new_stalls(const Roster& roster, Instant now, Millis stall_after) {
  std::vector<std::string> sentences;
  if (stall_after == Millis(0)) return sentences;
  for (auto& [key, barrier] : waiting_) {
    if (barrier.told || now < barrier.since + stall_after) continue;
    barrier.told = true;
    std::vector<std::string> missing;
    for (const NodeRecord* node : members(key, roster)) {
      if (!barrier.entered.contains(*node->id)) missing.push_back(describe(roster.member(*node)));
    }
    constexpr std::size_t kNamed = 8;
    const std::size_t unnamed = missing.size() > kNamed ? missing.size() - kNamed : 0;
    missing.resize(missing.size() - unnamed);
    sentences.push_back(fmt::format("a barrier of the {} has been waiting {} for {}{}", group_name(key.group),
                                    core::format_duration(now - barrier.since), core::join(missing, ", "),
                                    unnamed > 0 ? fmt::format(" and {} more", unnamed) : ""));
  }
  return sentences;
}

std::optional<Instant> Barriers::next_stall(Millis stall_after) const {
  std::optional<Instant> next;
  if (stall_after == Millis(0)) return next;
  for (const auto& [key, barrier] : waiting_) {
    if (!barrier.told && (!next || barrier.since + stall_after < *next)) next = barrier.since + stall_after;
  }
  return next;
}

}  // namespace ydl::pslite
