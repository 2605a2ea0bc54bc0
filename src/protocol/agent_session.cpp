#include "protocol/agent_session.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <variant>

namespace ydl::protocol {

bool AgentSession::accept(Epoch epoch) {
  if (epoch < epoch_) return false;
  if (epoch > epoch_) {
    epoch_ = epoch;
    commands_.restart();
    std::deque<Report> reports;
    std::ranges::move(facts_.restated(), std::back_inserter(reports));
    for (const auto& report : reports_.items()) {
      if (!std::holds_alternative<LogPiece>(report) && !facts_.covers(report)) reports.push_back(report);
    }
    reports_.restart(std::move(reports));
  }
  return true;
}

void AgentSession::push(Report report) {
  facts_.note(report);
  reports_.push(std::move(report));
}

void AgentSession::confirm(Epoch epoch, Sequence seq) {
  if (epoch == epoch_) reports_.confirm(seq);
}

}  // namespace ydl::protocol
