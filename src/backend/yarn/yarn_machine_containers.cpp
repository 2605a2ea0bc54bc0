// The part of the machine for containers and their agents: how they start, report, fail and end.
#include "backend/yarn/agent_container.hpp"
#include "backend/yarn/yarn_machine.hpp"
#include "core/strings.hpp"
#include "yarn/diagnostics.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

using Meaning = ContainerEnd::Meaning;

constexpr core::Millis kMissingAfter{2'000};     // then users see why attempts wait
constexpr core::Millis kOverdueAfter{15'000};    // then users see that a container is still starting
constexpr core::Millis kShutdownWithin{15'000};  // then the NodeManager is told to end the container

// " with the label gpu on node1, /rack2".
std::string constraints_of(const YarnRole& role) {
  std::string text = role.label.empty() ? "" : fmt::format(" with the label {}", role.label);
  auto names = role.hosts;
  names.insert(names.end(), role.racks.begin(), role.racks.end());
  if (!names.empty()) text += fmt::format(" on {}", core::join(names, ", "));
  return text;
}

}  // namespace

// ---- agents ----------------------------------------------------------------------------------------------------

YarnActions YarnMachine::agent_called(const yarn::ContainerId& id, const protocol::Hello& hello, core::Instant now) {
  auto* assigned = table_.find(id);
  if (assigned == nullptr || assigned->phase == Phase::ended) return take();
  const bool is_first = !std::exchange(assigned->has_called, true);
  if (assigned->is_adopted) {
    // A late repetition of a Hello lists what the agent held before it obeyed this master.
    if (is_first) take_hello(*assigned, hello, now);
    return take();
  }
  if (assigned->phase == Phase::idle) return take();
  tell_job(job::Reached{assigned->request.attempt});
  return take();
}

YarnActions YarnMachine::reported(const yarn::ContainerId& id, const protocol::Report& report, core::Instant now) {
  using Attempt = Translation::Attempt;
  auto* assigned = table_.find(id);
  if (assigned == nullptr || assigned->phase == Phase::ended || closed_) return {};
  if (assigned->phase == Phase::idle && !is_of_scheduler(report)) return {};
  if (attempt_of(report) != assigned->request.attempt)
    return {};  // a report about an earlier attempt in this container
  if (std::holds_alternative<protocol::Prepared>(report) && assigned->phase != Phase::starting)
    return {};  // a repeated report
  const auto& host = assigned->container.node.host;
  auto translation = translate(report, {addresses_[host], host, container_name(assigned->container)});
  if (assigned->unconfirmed) {
    reported_after_loss(*assigned, report, std::move(translation), now);
    return take();
  }
  switch (translation.attempt) {
    case Attempt::goes_on:
      break;
    case Attempt::prepared:
      assigned->phase = Phase::placed;
      break;
    case Attempt::not_prepared:
      not_prepared(*assigned, translation, now);
      return take();
    case Attempt::over:
      assigned->phase = Phase::idle;
      break;
  }
  for (auto& note : translation.notes) tell_user(std::move(note));
  if (translation.output) actions_.emplace_back(PassOutput{*std::move(translation.output)});
  if (translation.event) tell_job(*std::move(translation.event));
  return take();
}

// Either this host lacks something, or something does not exist at all. Only an attempt on another host can show which.
void YarnMachine::not_prepared(AssignedContainer& assigned, const Translation& translation, core::Instant now) {
  ContainerEnd end;
  end.reason =
      fmt::format("the task could not be prepared on {}: {}", assigned.container.node.host, translation.reason);
  end.cause = translation.cause;
  end.meaning = translation.on_every_host ? Meaning::cannot_place : after_failed_container(assigned, end.cause);
  end.is_the_same_everywhere = translation.on_every_host;
  const auto id = assigned.container.id;
  end_container(assigned);
  container_ended(id, end, now);
}

// ---- containers that end ---------------------------------------------------------------------------------------

YarnActions YarnMachine::not_started(const yarn::ContainerId& id, const core::Error& error, core::Instant now) {
  start_failed(id, error, now);
  return take();
}

// If the NodeManager's answer was lost, the container may have started nevertheless. Once its agent has called, it
// runs.
void YarnMachine::start_failed(const yarn::ContainerId& id, const core::Error& error, core::Instant now) {
  const auto* assigned = table_.find(id);
  if (assigned == nullptr || saving_.contains(id)) return;
  const bool is_on_its_way = assigned->phase == Phase::starting && !assigned->has_called;
  if (!is_on_its_way && assigned->phase != Phase::ended) {
    actions_.emplace_back(LogLine{
        fmt::format("{} runs, although its NodeManager reported that it did not start: {}", id.str(), error.message)});
    return;
  }
  ContainerEnd end;
  end.reason = fmt::format("the NodeManager on {} did not start its container: {}", assigned->container.node.host,
                           yarn::shorten_diagnostics(error.message));
  end.cause = job::Cause::start_failed;
  end.meaning = assigned->phase == Phase::ended ? Meaning::nothing : after_failed_container(*assigned, end.cause);
  allocator_.release(id);
  container_ended(id, end, now);
}

void YarnMachine::completed(const yarn::ContainerStatus& status, core::Instant now) {
  auto* assigned = table_.find(status.id);
  if (assigned == nullptr && adopting_)
    earlier_ends_.push_back(status);  // the attempt of this container is not adopted yet
  if (assigned == nullptr || saving_.contains(status.id)) return;
  if (assigned->unconfirmed) {
    if (confirms_end(status)) return confirm_end(status.id, now);
    const auto cause = classify_container_end(*assigned, status, {}).cause;
    if (forgets_containers(status, cause)) assigned->unconfirmed->node_was_lost = true;
    return;
  }
  auto end = classify_container_end(*assigned, status, allocator_.nodes().state_of(assigned->container.node));
  if (assigned->phase == Phase::starting && options_.image)
    end.reason += image_hint(*options_.image, status.exit_status);
  if (end.meaning != Meaning::exited && end.meaning != Meaning::lost) return container_ended(status.id, end, now);
  if (assigned->phase == Phase::launched && !confirms_end(status)) {
    const bool node_was_lost = forgets_containers(status, end.cause);
    return await_end(*assigned, {.end = std::move(end), .node_was_lost = node_was_lost, .saves_logs = true}, now);
  }
  // The processes of a container may keep running when its NodeManager is lost.
  actions_.emplace_back(SendToAgent{status.id, protocol::Shutdown{}});
  save_logs(*assigned, std::move(end));
}

// The end is reported to the job afterwards, so that a user who sees it can read the last lines.
void YarnMachine::save_logs(AssignedContainer& assigned, ContainerEnd end) {
  assigned.phase = Phase::ended;  // the agent ended with it and could not report
  saving_[assigned.container.id] = std::move(end);
  actions_.emplace_back(
      SaveLogs{assigned.container, addresses_[assigned.container.node.host], assigned.request.remote_logs});
}

YarnActions YarnMachine::logs_saved(const yarn::ContainerId& id, const core::Result<>& saved, core::Instant now) {
  const auto found = saving_.find(id);
  const auto* assigned = table_.find(id);
  if (found == saving_.end() || assigned == nullptr) return {};
  if (!saved) {
    tell_user(fmt::format("{}: the ends of its logs may be missing: {}", assigned->request.attempt.task.str(),
                          saved.error().message));
  }
  const auto end = std::move(found->second);
  saving_.erase(found);
  container_ended(id, end, now);
  return take();
}

// The attempt has ended or moves to another container. The container stays in the table until it has ended.
void YarnMachine::end_container(const AssignedContainer& assigned) {
  const auto& id = assigned.container.id;
  const auto& node = assigned.container.node;
  actions_.emplace_back(SendToAgent{id, protocol::Shutdown{}});
  if (const auto* token = allocator_.nm_token(node)) actions_.emplace_back(StopContainer{node, *token, id});
  allocator_.release(id);
}

void YarnMachine::container_ended(const yarn::ContainerId& id, const ContainerEnd& end, core::Instant now) {
  auto assigned = table_.take(id);
  warnings_.erase(id);
  const auto attempt = assigned.request.attempt;
  actions_.emplace_back(ForgetAgent{id});
  if (end.meaning == Meaning::nothing || closed_) return;
  actions_.emplace_back(LogLine{fmt::format("{}: {}", attempt.str(), end.reason)});
  const auto& host = assigned.container.node.host;
  const bool was_placed = end.meaning == Meaning::exited || end.meaning == Meaning::lost;
  if (!was_placed && !assigned.request.same_ports.empty())  // it can only run in that container
    return tell_job(job::Lost{attempt, end.reason, end.cause});
  if (!was_placed && !end.is_the_same_everywhere) tell_job(job::HostFailed{attempt, host, end.cause, end.reason});
  switch (end.meaning) {
    case Meaning::try_again:
      tell_job(job::NotPlacedYet{attempt, end.reason});
      if (counts_as_failed(end.cause)) assigned.failures.push_back(end.reason);
      assigned.not_on.insert(host);
      table_.wait({.request = std::move(assigned.request),
                   .failures = std::move(assigned.failures),
                   .not_on = std::move(assigned.not_on),
                   .since = now});
      want_another(attempt, 1, now);
      break;
    case Meaning::cannot_place:
      tell_job(job::CannotPlace{attempt, with_earlier_failures(end.reason, assigned.failures), end.cause});
      break;
    case Meaning::exited:
      tell_user(fmt::format("{}: {}", attempt.task.str(), end.reason));
      tell_job(job::Exited{attempt, end.exit});
      break;
    case Meaning::lost:
      tell_job(job::Lost{attempt, end.reason, end.cause});
      break;
    case Meaning::nothing:
      break;
  }
}

// ---- the watch -------------------------------------------------------------------------------------------------

void YarnMachine::end_silent_containers(const LastHeard& last_heard, core::Instant now) {
  std::vector<yarn::ContainerId> silent;
  for (const auto& [id, assigned] : table_.assigned()) {
    const bool is_on_its_way = assigned.phase == Phase::starting && !assigned.has_called;
    if (is_on_its_way || assigned.phase == Phase::ended || assigned.unconfirmed) continue;
    if (now - last_heard(id) > options_.agent_silence) silent.push_back(id);
  }
  for (const auto& id : silent) {
    auto& assigned = *table_.find(id);
    const auto reason = silence_reason(assigned.container.node.host, options_.agent_silence);
    ContainerEnd end{.meaning = Meaning::lost, .reason = reason, .cause = job::Cause::agent_lost};
    if (assigned.phase == Phase::starting) end.meaning = after_failed_container(assigned, end.cause);
    if (assigned.phase == Phase::idle) end.meaning = Meaning::nothing;
    if (assigned.phase == Phase::launched) {
      await_end(assigned, {.end = std::move(end), .node_was_lost = true}, now);
      continue;
    }
    end_container(assigned);
    container_ended(id, end, now);
  }
}

// Stops containers through their NodeManagers, once each, if their agents were told to shut down and have not ended.
void YarnMachine::end_hanging_containers(core::Instant now) {
  for (auto& [id, assigned] : table_.assigned()) {
    if (!assigned.told_to_shut_down || now - *assigned.told_to_shut_down < kShutdownWithin) continue;
    assigned.told_to_shut_down.reset();
    actions_.emplace_back(LogLine{fmt::format("{} has not ended {} after its agent was told to shut down", id.str(),
                                              core::format_duration(kShutdownWithin))});
    end_container(assigned);
  }
}

// Reports containers that were allocated and whose agents have not called, for example because downloads take long.
void YarnMachine::report_slow_starts(core::Instant now) {
  for (auto& [id, assigned] : table_.assigned()) {
    if (assigned.phase != Phase::starting || assigned.is_overdue || now - assigned.since < kOverdueAfter) continue;
    assigned.is_overdue = true;
    tell_job(job::NotPlacedYet{
        assigned.request.attempt,
        fmt::format("its container on {} ({}) has been starting for {}: its files are still being downloaded, or it "
                    "cannot reach this master at {}",
                    assigned.container.node.host, id.str(), core::format_duration(kOverdueAfter), options_.master)});
  }
}

// Reports why attempts still wait, after a while. Users see the reason, also if the time for it runs out.
void YarnMachine::report_waiting_attempts(core::Instant now) {
  if (allocator_.open_asks() == 0) {
    waiting_since_.reset();
    told_missing_.clear();
    return;
  }
  if (!waiting_since_) waiting_since_ = now;
  if (now - *waiting_since_ < kMissingAfter) return;
  for (const auto& role : options_.roles) {
    for (const auto& waiting : table_.waiting(role.name)) {
      const auto& attempt = waiting.request.attempt;
      if (!told_missing_.insert(attempt).second) continue;
      tell_job(job::NotPlacedYet{
          attempt,
          fmt::format(
              "queue {} has allocated no container of {}{} yet: it is full, or no host has enough free resources",
              job_.queue, to_string(role.resource), constraints_of(role))});
    }
  }
}

}  // namespace ydl::backend
