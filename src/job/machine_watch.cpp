// Tasks that have stopped writing, and tasks whose containers the cluster will take away.
#include "core/strings.hpp"
#include "job/machine.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::job {

void Machine::on(const Noted& event) {
  Record record{event.kind, event.attempt, event.text, {}, {}, 0};
  record.time = event.time;
  emit(std::move(record));
}

void Machine::on(const Saved& event) {
  Task* task = current(event.attempt);
  if (task == nullptr) return;
  task->saved_at = now_;
  if (task->is_first) task->saved_as_first = now_;
  saved_while_running(*task);
}

std::string Machine::describe_last_save(const Task& task) const {
  if (!task.saved_at) return "nothing of it was saved yet";
  return fmt::format("it was last saved {} ago",
                     core::format_duration(std::chrono::duration_cast<Millis>(now_ - *task.saved_at)));
}

// Whether a failure of either task restarts both.
bool Machine::starts_again_with(const Task& task, const Task& other) const {
  if (&task == &other) return true;
  return role_of(task).restart == RestartUnit::gang || role_of(other).restart == RestartUnit::gang;
}

// ---- tasks that hang -------------------------------------------------------------------------------------------

void Machine::on(const FellSilent& event) {
  Task* task = current(event.attempt);
  if (task == nullptr || task->state != TaskState::running || task->is_saving) return;
  task->is_silent = true;
  if (hangs(*task)) end_hung(*task);
}

void Machine::on(const WritesAgain& event) {
  Task* task = current(event.attempt);
  if (task != nullptr) task->is_silent = false;
}

// In a gang often only one task writes, and parameter servers write nothing. So a gang hangs when none of its deciders
// has written. A task that restarts alone hangs when it has not written itself.
bool Machine::hangs(const Task& task) const {
  if (outcome_ || state_ == JobState::restarting || role_of(task).kind != RoleKind::decider) return false;
  return std::ranges::all_of(tasks_, [&](const Task& other) {
    if (!other.is_member || role_of(other).kind != RoleKind::decider || !starts_again_with(task, other)) return true;
    return is_final(other.state) || (other.state == TaskState::running && other.is_silent);
  });
}

void Machine::end_hung(Task& task) {
  const auto sentence =
      fmt::format("hangs: it wrote nothing for {} (timeouts.stall)", core::format_duration(plan_.stall_timeout));
  for (auto& other : tasks_) {
    if (other.state != TaskState::running || !starts_again_with(task, other)) continue;
    other.is_silent = false;
    stop_task(other, &other == &task ? std::string("it hangs") : fmt::format("{} hangs", task.id.str()),
              plan_.stop_grace, Stacks::written);
  }
  task_failed(task, Cause::hung, sentence, Container::lives);
}

// ---- tasks that will lose their containers ---------------------------------------------------------------------

void Machine::on(const Warned& event) {
  Task* task = current(event.attempt);
  if (task == nullptr || task->warning || outcome_ || state_ == JobState::restarting) return;
  if (task->state != TaskState::running && task->state != TaskState::starting) return;
  task->warning = {event.cause, now_ + event.within};
  ++warnings_;
  const auto* const why =
      event.cause == Cause::decommissioned ? "its host is leaving the cluster" : "the cluster needs its container";
  record(RecordKind::task_warned, *task,
         fmt::format("will lose its container in {}: {}; {}", core::format_duration(event.within), why,
                     describe_last_save(*task)));
  for (const auto& other : tasks_) {
    const bool has_started = other.state == TaskState::running || other.state == TaskState::starting;
    if (has_started && starts_again_with(*task, other)) warn(other, *task);
  }
  give_up_growth("the cluster is taking containers away");
}

void Machine::forget_warning(Task& task) {
  if (!task.warning) return;
  task.warning.reset();
  --warnings_;
}

void Machine::warn(const Task& task, const Task& about) {
  emit(Warn{id_of(task), about.id, about.warning->cause,
            std::max(Millis(0), std::chrono::duration_cast<Millis>(about.warning->deadline - now_))});
}

void Machine::on(const WarningOver& event) {
  Task* task = current(event.attempt);
  if (task == nullptr || !task->warning) return;
  forget_warning(*task);
  if (task->state != TaskState::running && task->state != TaskState::starting) return;
  record(RecordKind::note, *task, "keeps its container after all");
  for (const auto& other : tasks_) {
    const bool has_started = other.state == TaskState::running || other.state == TaskState::starting;
    if (!has_started || !starts_again_with(*task, other) || is_warned(other)) continue;
    emit(CallOff{id_of(other)});
  }
}

// Whether the task, or one that it restarts with, was warned. An error of the task then follows from the loss of a
// container.
bool Machine::is_warned(const Task& task) const {
  return warnings_ > 0 && std::ranges::any_of(tasks_, [&](const Task& other) {
           return other.warning && starts_again_with(task, other);
         });
}

}  // namespace ydl::job
