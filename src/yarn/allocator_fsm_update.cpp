// The effects of the ResourceManager's answers.
#include "yarn/allocator_fsm.hpp"

#include <algorithm>

namespace ydl::yarn {

void AllocatorFsm::keep_tokens(std::span<const NmToken> tokens) {
  for (const auto& [node, token] : tokens) nm_tokens_[node] = token;
}

// Containers have the allocation id of their request, but not from every ResourceManager. Otherwise the priority
// identifies the role.
RoleAsks* AllocatorFsm::find(const AskKey& key) {
  if (const auto found = roles_.find(key); found != roles_.end()) return &found->second;
  const auto same_priority =
      std::ranges::find_if(roles_, [&](const auto& entry) { return entry.first.priority == key.priority; });
  return same_priority == roles_.end() ? nullptr : &same_priority->second;
}

void AllocatorFsm::take_grants(const AllocateResponse& response, AllocationUpdate& update, core::Instant now) {
  for (const auto& container : response.granted) {
    if (live_.contains(container.id) || completed_.contains(container.id)) continue;
    nodes_.take(container.node, container.resource);
    auto* role = find(container.key);
    if (role == nullptr || !role->grant(container, nodes_, now)) {
      surplus_.insert(container.id);
      live_[container.id] = container;
      release(container.id);
      continue;
    }
    auto& granted = live_[container.id] = container;
    granted.key = role->role().key;
    update.granted.push_back(granted);
  }
}

void AllocatorFsm::take_completions(const AllocateResponse& response, AllocationUpdate& update) {
  for (const auto& status : response.completed) {
    if (!completed_.insert(status.id).second) continue;
    releasing_.erase(status.id);
    to_release_.erase(status.id);
    if (const auto found = live_.find(status.id); found != live_.end()) {
      nodes_.give_back(found->second.node, found->second.resource);
      auto* role = find(found->second.key);
      if (role != nullptr && !surplus_.contains(status.id)) role->ended(found->second.node.host);
      live_.erase(found);
    }
    if (surplus_.erase(status.id) == 0) update.completed.push_back(status);
  }
}

void AllocatorFsm::take_nodes(const AllocateResponse& response, AllocationUpdate& update) {
  for (const auto& report : response.changed_nodes) {
    nodes_.update(report);
    if (nodes_.is_usable(report.id.host)) continue;
    for (auto& [key, role] : roles_) {
      if (role.names(report.id.host)) role.forget_plan();
    }
  }
  update.changed_nodes = response.changed_nodes;
}

void AllocatorFsm::recover(std::span<const Container> containers, AllocationUpdate& update) {
  for (const auto& container : containers) {
    if (completed_.contains(container.id) || !live_.emplace(container.id, container).second) continue;
    if (auto* role = find(container.key); role != nullptr) role->recovered(container.node.host);
    update.recovered.push_back(container);
  }
}

}  // namespace ydl::yarn
