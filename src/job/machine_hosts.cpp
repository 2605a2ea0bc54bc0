// On which hosts and in which containers the next attempts run.
#include "core/strings.hpp"
#include "job/machine.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::job {

void Machine::on(const HostFailed& event) {
  Task* task = current(event.attempt);
  if (task == nullptr || outcome_) return;
  task->has_container = false;
  blame_host(event.node, event.cause, fmt::format("{}: {}", event.attempt.task.str(), event.reason));
}

// In decay mode avoided hosts must not keep the job from running. In strict mode no host is used again.
void Machine::on(const NoHostLeft& event) {
  if (outcome_) return;
  const auto role = std::ranges::find(plan_.roles, event.role, &RolePlan::name);
  if (role != plan_.roles.end() && role->is_elastic() &&
      has_enough(static_cast<std::size_t>(role - plan_.roles.begin())))
    return;
  if (avoided_.mode() == Blacklist::Mode::strict && !avoided_.list().empty()) {
    const auto sentence = fmt::format(
        "too few hosts are left for role {}: --blacklist strict avoids every host on which a task failed, and these "
        "are {}",
        event.role, avoided_.describe());
    begin_stopping({JobState::failed, 1, sentence, {}, Cause::no_capacity}, sentence);
    return;
  }
  relax_hosts(fmt::format("role {}", event.role));
}

// Returns whether an avoided host is used again early.
bool Machine::relax_hosts(std::string_view for_whom) {
  const auto node = avoided_.relax();
  if (node.empty()) return false;
  record(RecordKind::host_forgiven,
         fmt::format("{} is used again early: too few other hosts are left for {}", node, for_whom));
  emit(ForgiveHost{node});
  return true;
}

// Completes the sentence of a job that could not be placed: "; avoided hosts: node1 (…)". Empty if there are none.
std::string Machine::avoided_hosts_clause() const {
  if (avoided_.list().empty()) return {};
  return fmt::format("; avoided hosts: {}", avoided_.describe());
}

void Machine::blame_host(const std::string& node, Cause cause, std::string what) {
  if (!avoided_.failed(node, cause, std::move(what), now_)) return;
  const auto& host = avoided_.list().back();
  record(RecordKind::host_avoided,
         host.until
             ? fmt::format("{} is avoided for {}: {}", node,
                           core::format_duration(std::chrono::duration_cast<Millis>(*host.until - now_)), host.reason)
             : fmt::format("{} is avoided until the job ends: {}", node, host.reason));
  emit(AvoidHost{node});
}

void Machine::forgive_hosts() {
  for (const auto& node : avoided_.forget(now_)) {
    record(RecordKind::host_forgiven, fmt::format("{} may be used again", node));
    emit(ForgiveHost{node});
  }
}

bool Machine::may_stay(const Task& task) const {
  return task.place && !avoided_.contains(task.place->node) && !task.not_on.contains(task.place->node);
}

// The attempt of this task was stopped and has ended. Its container is kept if the next attempt can use it.
void Machine::keep_or_release(Task& task) {
  if (task.is_released) return;
  const bool starts_again = state_ == JobState::restarting || task.retry_when_ended;
  if (starts_again && may_stay(task))
    task.held = task.attempt;
  else
    emit(Release{id_of(task)});
}

void Machine::release_held(Task& task) {
  if (const auto held = std::exchange(task.held, std::nullopt)) emit(Release{{task.id, *held}});
}

}  // namespace ydl::job
