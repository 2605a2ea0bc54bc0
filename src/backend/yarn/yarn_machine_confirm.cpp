// Two attempts of one task must never run at the same time, but a lost container may still run its task. So the job
// learns of the loss only when the agent or the NodeManager has confirmed the end, or when the agent must have ended by
// itself because it was revoked and hears no master. This file also adopts the containers of an earlier master.
#include "backend/yarn/agent_container.hpp"
#include "backend/yarn/yarn_machine.hpp"
#include "core/strings.hpp"
#include "hconf/config.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

using Meaning = ContainerEnd::Meaning;
using Stage = job::Adopt::Stage;

constexpr core::Millis kLookEvery{1'000};
constexpr core::Millis kLookAgain{10'000};  // after a look without an answer
constexpr int kMostLooks = 32;              // at the same time: each has its own connection
constexpr core::Millis kTellAfter{3'000};
constexpr core::Millis kOwnEnd = core::Seconds(95);  // outlives_master plus the time in which an agent notices the loss

Phase phase_of(Stage stage) {
  switch (stage) {
    case Stage::placed:
      return Phase::placed;
    case Stage::launched:
      return Phase::launched;
    case Stage::over:
      return Phase::idle;
  }
  return Phase::launched;
}

}  // namespace

// ---- unconfirmed ends ------------------------------------------------------------------------------------------

void YarnMachine::await_end(AssignedContainer& assigned, UnconfirmedEnd unconfirmed, core::Instant now) {
  if (assigned.unconfirmed) return;
  unconfirmed.since = now;
  assigned.unconfirmed = std::move(unconfirmed);
  end_container(assigned);
  look_at(assigned, now);
}

void YarnMachine::look_at(AssignedContainer& assigned, core::Instant now) {
  auto& end = *assigned.unconfirmed;
  if (end.is_looked_at || looks_ >= kMostLooks || now < end.next_look) return;
  const auto& node = assigned.container.node;
  const auto* token = allocator_.nm_token(node);
  const auto page = hconf::parse_host_port(assigned.container.node_http_address, 0);
  if (token == nullptr && !page) return;
  end.is_looked_at = true;
  ++looks_;
  actions_.emplace_back(
      LookAtContainer{node, token == nullptr ? std::nullopt : std::optional(*token), assigned.container.id,
                      page ? fmt::format("{}:{}", addresses_[node.host], page->port) : std::string()});
}

YarnActions YarnMachine::container_looked_at(const yarn::ContainerId& id, Found found, core::Instant now) {
  looks_ = std::max(0, looks_ - 1);
  auto* assigned = table_.find(id);
  if (assigned == nullptr || !assigned->unconfirmed) return take();
  auto& end = *assigned->unconfirmed;
  end.is_looked_at = false;
  end.next_look = now + (found == Found::no_answer ? kLookAgain : kLookEvery);
  // A NodeManager forgets containers that have ended. A restarted one may also forget containers that still run, but
  // this one listed the container a moment ago.
  const bool has_ended_since = found == Found::unknown && end.was_seen && !end.node_was_lost;
  end.was_seen = found == Found::running;
  if (found == Found::complete || has_ended_since) confirm_end(id, now);
  return take();
}

YarnActions YarnMachine::revoked(const yarn::ContainerId& id, const core::Result<>& written, core::Instant now) {
  auto* assigned = table_.find(id);
  if (assigned == nullptr || !assigned->unconfirmed) return take();
  assigned->unconfirmed->is_being_revoked = false;
  if (written)
    assigned->unconfirmed->revoked_at = now;
  else
    actions_.emplace_back(LogLine{fmt::format("revoking {}: {}", id.str(), written.error().message)});
  return take();
}

void YarnMachine::confirm_end(const yarn::ContainerId& id, core::Instant now) {
  auto& assigned = *table_.find(id);
  auto unconfirmed = *std::exchange(assigned.unconfirmed, std::nullopt);
  if (unconfirmed.saves_logs) return save_logs(assigned, std::move(unconfirmed.end));
  container_ended(id, unconfirmed.end, now);
}

// Its agent was told to end, and this report confirms that. A success counts as a success; any other end is a
// consequence of the order to end.
void YarnMachine::reported_after_loss(const AssignedContainer& assigned, const protocol::Report& report,
                                      Translation translation, core::Instant now) {
  const auto id = assigned.container.id;
  const auto* exited = std::get_if<protocol::TaskExited>(&report);
  if (exited != nullptr && exited->status.ok() && exited->problem.empty()) {
    for (auto& note : translation.notes) tell_user(std::move(note));
    tell_job(*std::move(translation.event));
    return container_ended(id, {}, now);
  }
  const bool is_over = translation.attempt == Translation::Attempt::over;
  if (is_over || std::holds_alternative<protocol::TaskGone>(report)) confirm_end(id, now);
}

void YarnMachine::watch_unconfirmed(const LastHeard& last_heard, core::Instant now) {
  std::vector<yarn::ContainerId> over;
  for (auto& [id, assigned] : table_.assigned()) {
    if (!assigned.unconfirmed) continue;
    auto& end = *assigned.unconfirmed;
    // An agent that has not called this master may still obey the earlier one, as long as that one does not notice that
    // it was replaced.
    const auto wait = options_.lease + (assigned.is_adopted && !assigned.has_called ? options_.blind : core::Millis(0));
    if (end.revoked_at && now - *end.revoked_at >= wait) {
      over.push_back(id);
      continue;
    }
    if (!options_.can_be_replaced) {  // its agent ends by itself soon after it has lost this master
      end.revoked_at = std::max(last_heard(id) + kOwnEnd - options_.lease, end.since - options_.lease);
    } else if (!end.revoked_at && !end.is_being_revoked && now - last_heard(id) >= options_.agent_silence) {
      end.is_being_revoked = true;
      actions_.emplace_back(RevokeAgent{id});
    }
    look_at(assigned, now);
    tell_of_unconfirmed(assigned, now);
  }
  for (const auto& id : over) confirm_end(id, now);
}

void YarnMachine::tell_of_unconfirmed(AssignedContainer& assigned, core::Instant now) {
  auto& end = *assigned.unconfirmed;
  if (end.is_told || now - end.since < kTellAfter) return;
  end.is_told = true;
  tell_user(
      fmt::format("{}: {}; it may still run on {}, so its next attempt waits until its end is confirmed or its agent "
                  "must have ended by itself",
                  assigned.request.attempt.task.str(), end.end.reason, assigned.container.node.host));
}

// ---- what an earlier master has left ---------------------------------------------------------------------------

// If the ResourceManager was restarted too, it learns of containers one by one. So a container that it does not list
// may still run.
YarnActions YarnMachine::adopt(const TaskRequest& request, const job::Adopt& adopted, core::Instant now) {
  const auto named = parse_container_name(adopted.place.container);
  if (!named) {  // it does not name a container, so the attempt cannot be found again
    tell_job(job::Lost{adopted.attempt, named.error().message, job::Cause::cluster});
    return take();
  }
  const auto listed = earlier_.find(named->id);
  const bool runs = listed != earlier_.end();
  if (!runs && adopted.stage == Stage::over) return take();
  auto container = runs ? std::move(listed->second) : *named;
  if (runs) earlier_.erase(listed);
  addresses_[container.node.host] = adopted.place.host;
  auto prepare = prepare_in_container(request, job_);
  prepare.ports = static_cast<int>(adopted.place.ports.size());
  const auto& assigned = table_.adopt(std::move(prepare), std::move(container), phase_of(adopted.stage), now);
  actions_.emplace_back(ExpectAgent{named->id, adopted.attempt, assigned.request.ports});
  return take();
}

YarnActions YarnMachine::adopted_all(core::Instant now) {
  adopting_ = false;
  for (const auto& status : std::exchange(earlier_ends_, {})) {
    earlier_.erase(status.id);
    completed(status, now);
  }
  for (const auto& [id, container] : std::exchange(earlier_, {})) {
    if (const auto* token = allocator_.nm_token(container.node))
      actions_.emplace_back(StopContainer{container.node, *token, id});
    allocator_.release(id);
  }
  return take();
}

// Attempts that the agent holds and this master has no record of were never launched.
void YarnMachine::take_hello(AssignedContainer& assigned, const protocol::Hello& hello, core::Instant now) {
  const auto id = assigned.container.id;
  const auto& attempt = assigned.request.attempt;
  for (const auto& held : hello.holds) {
    if (held != attempt) actions_.emplace_back(SendToAgent{id, protocol::Release{held}});
  }
  const bool must_have_it = assigned.phase == Phase::placed || assigned.phase == Phase::launched;
  if (!must_have_it || std::ranges::find(hello.holds, attempt) != hello.holds.end()) return;
  if (assigned.unconfirmed) return confirm_end(id, now);
  const ContainerEnd end{.meaning = Meaning::lost,
                         .reason = fmt::format("its agent on {} no longer has it", assigned.container.node.host),
                         .cause = job::Cause::agent_lost};
  end_container(assigned);
  container_ended(id, end, now);
}

}  // namespace ydl::backend
