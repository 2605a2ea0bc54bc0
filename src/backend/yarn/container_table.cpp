#include "backend/yarn/container_table.hpp"

#include "core/assert.hpp"

#include <algorithm>

namespace ydl::backend {

void ContainerTable::wait(WaitingAttempt attempt) {
  auto& queue = waiting_[attempt.request.attempt.task.role];
  queue.push_back(std::move(attempt));
}

AssignedContainer* ContainerTable::assign(const std::string& role, yarn::Container container, core::Instant now,
                                          const Accepts& accepts) {
  auto& queue = waiting_[role];
  const auto chosen = std::ranges::find_if(queue, accepts);
  if (chosen == queue.end()) return nullptr;
  auto next = std::move(*chosen);
  queue.erase(chosen);
  const auto id = container.id;
  auto& assigned = assigned_[id];
  assigned = {.request = std::move(next.request),
              .container = std::move(container),
              .failures = std::move(next.failures),
              .not_on = std::move(next.not_on),
              .since = now};
  by_attempt_[assigned.request.attempt] = id;
  return &assigned;
}

void ContainerTable::hand_over(AssignedContainer& assigned, protocol::Prepare request, core::Instant now) {
  const auto id = assigned.container.id;
  by_attempt_.erase(assigned.request.attempt);
  by_attempt_[request.attempt] = id;
  assigned.request = std::move(request);
  assigned.phase = Phase::starting;
  assigned.failures.clear();
  assigned.not_on.clear();
  assigned.since = now;
  assigned.is_overdue = false;
}

AssignedContainer& ContainerTable::adopt(protocol::Prepare request, yarn::Container container, Phase phase,
                                         core::Instant now) {
  const auto id = container.id;
  by_attempt_[request.attempt] = id;
  auto& assigned = assigned_[id];
  assigned = {.request = std::move(request),
              .container = std::move(container),
              .phase = phase,
              .since = now,
              .is_adopted = true};
  return assigned;
}

bool ContainerTable::stop_waiting(const core::AttemptId& attempt) {
  const auto queue = waiting_.find(attempt.task.role);
  if (queue == waiting_.end()) return false;
  return std::erase_if(queue->second, [&](const WaitingAttempt& one) { return one.request.attempt == attempt; }) > 0;
}

AssignedContainer* ContainerTable::find(const core::AttemptId& attempt) {
  const auto id = by_attempt_.find(attempt);
  auto* assigned = id == by_attempt_.end() ? nullptr : find(id->second);
  return assigned == nullptr || assigned->phase == Phase::ended ? nullptr : assigned;
}

AssignedContainer* ContainerTable::find(const yarn::ContainerId& id) {
  const auto found = assigned_.find(id);
  return found == assigned_.end() ? nullptr : &found->second;
}

AssignedContainer ContainerTable::take(const yarn::ContainerId& id) {
  auto node = assigned_.extract(id);
  YDL_ASSERT(!node.empty());
  const auto newest = by_attempt_.find(node.mapped().request.attempt);
  if (newest != by_attempt_.end() && newest->second == id) by_attempt_.erase(newest);
  return std::move(node.mapped());
}

}  // namespace ydl::backend
