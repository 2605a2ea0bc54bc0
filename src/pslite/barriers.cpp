#include "pslite/barriers.hpp"

#include "core/assert.hpp"

#include <utility>

namespace ydl::pslite {

Barriers::Barrier& Barriers::enter(Key key, NodeId node, std::int32_t app_id, Instant now) {
  Barrier& barrier = waiting_.try_emplace(key, Barrier{.app_id = app_id, .since = now}).first->second;
  barrier.entered.insert(node);
  return barrier;
}

void Barriers::withdraw(NodeId node) {
  for (auto& [key, barrier] : waiting_) barrier.entered.erase(node);
  std::erase_if(waiting_, [](const auto& entry) { return entry.second.entered.empty(); });
}

Barriers::Barrier Barriers::open(Key key) {
  const auto found = waiting_.find(key);
  YDL_ASSERT(found != waiting_.end());
  Barrier barrier = std::move(found->second);
  waiting_.erase(found);
  return barrier;
}

}  // namespace ydl::pslite
