#include "protocol/agent_session.hpp"

namespace ydl::protocol {

bool AgentSession::accept(Epoch epoch) {
  if (epoch < epoch_) return false;
  if (epoch > epoch_) {
    epoch_ = epoch;
    commands_.restart();
    reports_.restart();
  }
  return true;
}

void AgentSession::confirm(Epoch epoch, Sequence seq) {
  if (epoch == epoch_) reports_.confirm(seq);
}

}  // namespace ydl::protocol
