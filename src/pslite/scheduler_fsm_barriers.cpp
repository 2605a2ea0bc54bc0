// The part of the state machine that counts nodes at barriers.
#include "core/strings.hpp"
#include "pslite/scheduler_fsm.hpp"

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

}  // namespace

void SchedulerFsm::barrier(NodeRecord& node, LinkId link, const Meta& meta, Instant now) {
  const int group = meta.control->barrier_group.value_or(0);
  const std::int32_t customer = meta.customer_id.value_or(0);
  if (!meta.request || group < 1 || group > kAllGroups || (group & group_of(node.role)) == 0 || customer < 0 ||
      customer > kMaxCustomer) {
    violation(link, fmt::format("{} asked for a barrier that cannot be (group {}, customer {})",
                                describe(roster_.member(node)), group, customer));
    return;
  }
  if (meta.timestamp) {
    const auto [last, first] = node.last_barrier.try_emplace(customer, *meta.timestamp);
    if (!first && *meta.timestamp <= last->second) {
      // Only PS_RESEND repeats a message: it was not acknowledged in time.
      node.resends = true;
      acknowledge(node, meta);
      return;
    }
    last->second = *meta.timestamp;
  }
  if (node.resends) acknowledge(node, meta);
  if (state_ != State::running) return;
  if (group == kAllGroups && customer == 0 && std::exchange(node.starts_late, false) && started_) {
    Meta reply = control(Command::barrier);
    reply.control->barrier_group = 0;
    reply.app_id = meta.app_id.value_or(0);
    reply.customer_id = customer;
    actions_.emplace_back(Send{*node.id, std::move(reply)});
    return;
  }
  const Barriers::Key key{.group = group, .customer = customer};
  barriers_.enter(key, *node.id, meta.app_id.value_or(0), now);
  if (group == kAllGroups && started_) {
    check_barriers(now);
  } else {
    check_barrier(key, now);
  }
}

// A kvstore that only the workers created (a second one in the same process) has no servers to wait for.
std::vector<const NodeRecord*> SchedulerFsm::members(Barriers::Key key) const {
  int group = key.group;
  if (key.customer != 0) {
    int present = 0;
    for (const NodeRecord& node : roster_.nodes()) {
      if (node.customers.contains(key.customer)) present |= group_of(node.role);
    }
    if ((group & present) != 0) group &= present;
  }
  const bool last = key.group == kAllGroups && started_;
  // Who stands at the last barrier comes to no other one: a worker restarted that late is not kept waiting for it.
  const auto at_end =
      started_ ? barriers_.waiting().find({.group = kAllGroups, .customer = key.customer}) : barriers_.waiting().end();
  std::vector<const NodeRecord*> found;
  for (const NodeRecord& node : roster_.nodes()) {
    if ((group_of(node.role) & group) == 0) continue;
    if (last && (node.state == NodeState::gone || node.state == NodeState::left)) continue;
    if (!last && at_end != barriers_.waiting().end() && at_end->second.entered.contains(*node.id)) continue;
    found.push_back(&node);
  }
  return found;
}

void SchedulerFsm::check_barriers(Instant now) {
  std::vector<Barriers::Key> keys;
  for (const auto& [key, barrier] : barriers_.waiting()) keys.push_back(key);
  for (const Barriers::Key key : keys) check_barrier(key, now);
}

void SchedulerFsm::check_barrier(Barriers::Key key, Instant now) {
  if (state_ != State::running) return;
  const Barriers::Barrier& barrier = barriers_.waiting().at(key);
  const auto needed = members(key);
  if (barrier.entered.size() >= needed.size()) {
    open_barrier(key, now);
    return;
  }
  for (const NodeRecord* node : needed) {
    if (node->state != NodeState::gone && node->state != NodeState::left) continue;
    const NodeRecord* waiting = roster_.find(*barrier.entered.begin());
    const auto others = static_cast<std::int64_t>(barrier.entered.size()) - 1;
    fail_job(Failure::barrier_broken,
             fmt::format("{}{} would wait for ever at a barrier of the {}: {} {} and does not come back",
                         describe(roster_.member(*waiting)),
                         others > 0 ? fmt::format(" and {}", core::plural(others, "other")) : "", group_name(key.group),
                         describe(roster_.member(*node)),
                         node->state == NodeState::left ? "ended before reaching it" : "failed"));
    return;
  }
}

void SchedulerFsm::open_barrier(Barriers::Key key, Instant now) {
  const Barriers::Barrier barrier = barriers_.open(key);
  for (const NodeId id : barrier.entered) {
    Meta release = control(Command::barrier);
    release.control->barrier_group = 0;
    release.app_id = barrier.app_id;
    release.customer_id = key.customer;
    actions_.emplace_back(Send{id, std::move(release)});
  }
  tell(BarrierPassed{.group = key.group, .waited = now - barrier.since});
  if (key.group == kWorkerGroup) training_ = true;
  if (key.group != kAllGroups || key.customer != 0) return;
  if (!started_) {
    started_ = true;
    return;
  }
  state_ = State::finished;
  for (const Newcomer& newcomer : std::exchange(newcomers_, {})) refuse(newcomer, "the job has finished");
  tell(Finished{});
}

void SchedulerFsm::check_stalls(Instant now) {
  if (options_.stall_after == Millis(0)) return;
  for (auto& [key, barrier] : barriers_.waiting()) {
    if (barrier.told || now < barrier.since + options_.stall_after) continue;
    barrier.told = true;
    std::vector<std::string> missing;
    for (const NodeRecord* node : members(key)) {
      if (!barrier.entered.contains(*node->id)) missing.push_back(describe(roster_.member(*node)));
    }
    constexpr std::size_t kNamed = 8;
    const std::size_t unnamed = missing.size() > kNamed ? missing.size() - kNamed : 0;
    missing.resize(missing.size() - unnamed);
    tell(Note{fmt::format("a barrier of the {} has waited {} for {}{}", group_name(key.group),
                          core::format_duration(now - barrier.since), core::join(missing, ", "),
                          unnamed > 0 ? fmt::format(" and {} more", unnamed) : "")});
  }
}

}  // namespace ydl::pslite
