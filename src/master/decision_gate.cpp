#include "master/decision_gate.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace ydl::master {
namespace {

// These must be stored for another master before they are carried out: the attempt of a launch or of a request for a
// container.
std::optional<core::AttemptId> begins(const job::Action& action) {
  if (const auto* launch = std::get_if<job::Launch>(&action)) return launch->attempt;
  if (const auto* ask = std::get_if<job::Ask>(&action)) return ask->attempt;
  return std::nullopt;
}

std::optional<core::AttemptId> begins(const DecisionGate::Decision& decision) {
  for (const auto& action : decision.actions) {
    if (auto attempt = begins(action)) return attempt;
  }
  return std::nullopt;
}

}  // namespace

void DecisionGate::add(Decision decision) {
  ++added_;
  // While the store is unavailable, events without actions need no memory.
  const bool changes_state = std::exchange(last_state_, decision.state) != decision.state;
  if (decision.actions.empty() && !changes_state && !decision.takes_over) return;
  decision.after = added_;
  waiting_.push_back(std::move(decision));
}

void DecisionGate::written(std::uint64_t events) {
  written_ = std::max(written_, events);
}

bool DecisionGate::may_go(const Decision& decision) const {
  if (has_written(decision.after) || may_end()) return true;
  return store_ == Store::broken && !begins(decision);
}

std::optional<DecisionGate::Decision> DecisionGate::next() {
  if (waiting_.empty() || !may_go(waiting_.front())) return std::nullopt;
  auto decision = std::move(waiting_.front());
  waiting_.pop_front();
  if (has_written(decision.after)) return decision;
  std::erase_if(decision.actions, [&decision](const job::Action& action) {
    const auto* launch = std::get_if<job::Launch>(&action);
    if (launch != nullptr) decision.dropped.push_back(launch->attempt);
    return launch != nullptr;
  });
  return decision;
}

std::vector<job::Stop> DecisionGate::early_stops() {
  std::vector<job::Stop> stops;
  if (!ends_ || !is_held()) return stops;
  std::set<core::AttemptId> begun;
  for (auto& decision : waiting_) {
    std::erase_if(decision.actions, [&begun, &stops](const job::Action& action) {
      if (const auto* launch = std::get_if<job::Launch>(&action)) begun.insert(launch->attempt);
      if (const auto* adopt = std::get_if<job::Adopt>(&action)) begun.insert(adopt->attempt);
      const auto* stop = std::get_if<job::Stop>(&action);
      if (stop == nullptr || begun.contains(stop->attempt)) return false;
      stops.push_back(*stop);
      return true;
    });
  }
  return stops;
}

std::optional<core::AttemptId> DecisionGate::needs_store() const {
  if (store_ != Store::broken || ends_ || waiting_.empty() || has_written(waiting_.front().after)) return std::nullopt;
  return begins(waiting_.front());
}

}  // namespace ydl::master
