// Containers that the cluster will take away, for another queue or because their node is being decommissioned.
#include "backend/yarn/yarn_machine.hpp"

#include <algorithm>

namespace ydl::backend {
namespace {

// The default timeout of a graceful decommission.
constexpr core::Millis kDecommissionTime = std::chrono::hours(1);

}  // namespace

// The CapacityScheduler reports containers that it may take once, the FairScheduler reports containers that it will
// take in every answer. Neither reports the time, nor that it will not take a container after all.
void YarnMachine::take_warnings(const yarn::AllocationUpdate& update, core::Instant now) {
  for (const auto* ids : {&update.will_be_preempted, &update.may_be_preempted}) {
    for (const auto& id : *ids) warn(id, job::Cause::preempted, options_.preemption_wait, now);
  }
  for (const auto& node : update.changed_nodes) node_changed(node, now);
}

void YarnMachine::warn(const yarn::ContainerId& id, job::Cause cause, core::Millis within, core::Instant now) {
  const auto* assigned = table_.find(id);
  if (assigned == nullptr || assigned->phase == Phase::ended) return;
  auto [warning, is_new] =
      warnings_.try_emplace(id, Warning{.cause = cause, .deadline = now + within, .ends = std::nullopt});
  if (cause == job::Cause::preempted) warning->second.ends = now + 2 * options_.preemption_wait;
  if (is_new && assigned->phase == Phase::launched) tell_of_warning(id, now);
}

// The job can only act on a warning once the attempt was launched.
void YarnMachine::tell_of_warning(const yarn::ContainerId& id, core::Instant now) {
  const auto warning = warnings_.find(id);
  if (warning == warnings_.end()) return;
  const auto left = std::chrono::duration_cast<core::Millis>(warning->second.deadline - now);
  tell_job(job::Warned{table_.find(id)->request.attempt, warning->second.cause, std::max(left, core::Millis(0))});
}

void YarnMachine::node_changed(const yarn::NodeReport& node, core::Instant now) {
  const bool leaves = node.state == yarn::NodeState::decommissioning;
  std::vector<yarn::ContainerId> here;
  for (const auto& [id, assigned] : table_.assigned()) {
    if (assigned.container.node == node.id) here.push_back(id);
  }
  for (const auto& id : here) {
    const auto found = warnings_.find(id);
    const bool was_to_leave = found != warnings_.end() && found->second.cause == job::Cause::decommissioned;
    if (leaves)
      warn(id, job::Cause::decommissioned, node.leaves_within.value_or(kDecommissionTime), now);
    else if (was_to_leave && node.state == yarn::NodeState::running)
      call_off(id);
  }
}

void YarnMachine::end_warnings(core::Instant now) {
  std::vector<yarn::ContainerId> over;
  for (const auto& [id, warning] : warnings_) {
    if (warning.ends && *warning.ends <= now) over.push_back(id);
  }
  for (const auto& id : over) call_off(id);
}

void YarnMachine::call_off(const yarn::ContainerId& id) {
  warnings_.erase(id);
  const auto* assigned = table_.find(id);
  if (assigned != nullptr && assigned->phase != Phase::ended && assigned->phase != Phase::idle)
    tell_job(job::WarningOver{assigned->request.attempt});
}

}  // namespace ydl::backend
