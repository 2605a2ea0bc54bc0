#include "backend/yarn/container_table.hpp"

#include "core/assert.hpp"

#include <algorithm>

namespace ydl::backend {

void ContainerTable::wait(protocol::Prepare request, std::vector<std::string> failures) {
  auto& queue = waiting_[request.attempt.task.role];
  queue.push_back({std::move(request), std::move(failures)});
}

AssignedContainer* ContainerTable::assign(const std::string& role, yarn::Container container, core::Instant now) {
  const auto queue = waiting_.find(role);
  if (queue == waiting_.end() || queue->second.empty()) return nullptr;
  auto next = std::move(queue->second.front());
  queue->second.pop_front();
  const auto id = container.id;
  auto& assigned = assigned_[id];
  assigned = {.request = std::move(next.request),
              .container = std::move(container),
              .failures = std::move(next.failures),
              .since = now};
  by_attempt_[assigned.request.attempt] = id;
  return &assigned;
}

bool ContainerTable::stop_waiting(const core::AttemptId& attempt) {
  const auto queue = waiting_.find(attempt.task.role);
  if (queue == waiting_.end()) return false;
  return std::erase_if(queue->second, [&](const Waiting& one) { return one.request.attempt == attempt; }) > 0;
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

std::vector<core::AttemptId> ContainerTable::waiting(const std::string& role) const {
  std::vector<core::AttemptId> attempts;
  if (const auto queue = waiting_.find(role); queue != waiting_.end()) {
    for (const auto& one : queue->second) attempts.push_back(one.request.attempt);
  }
  return attempts;
}

}  // namespace ydl::backend
