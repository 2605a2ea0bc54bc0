#include "pslite/heartbeats.hpp"

namespace ydl::pslite {

void Heartbeats::heard(NodeRecord& node, Instant now) {
  node.last_heartbeat = now;
  if (!next_ && timeout_ > Millis(0)) next_ = now + timeout_;
}

std::optional<std::vector<NodeRecord*>> Heartbeats::look(Roster& roster, Instant now) {
  if (!next_ || now < *next_) return std::nullopt;
  next_.reset();
  std::vector<NodeRecord*> silent;
  for (NodeRecord& node : roster.nodes()) {
    if (node.state != NodeState::living || !node.last_heartbeat) continue;
    const Instant due = *node.last_heartbeat + timeout_;
    if (now >= due) {
      node.state = NodeState::silent;
      silent.push_back(&node);
    } else if (!next_ || due < *next_) {
      next_ = due;
    }
  }
  return silent;
}

}  // namespace ydl::pslite
