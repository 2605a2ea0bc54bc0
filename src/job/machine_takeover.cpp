// How a job continues with a new master. The new master has replayed the events of the earlier one without carrying out
// the resulting actions. The earlier master has carried out an unknown part of them. So each task is adopted in its
// last known state, and actions that may not have been carried out are repeated.
#include "job/machine.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::job {

void Machine::on(const TookOver& event) {
  record(RecordKind::note, fmt::format("the job's master was lost; a new master on {} has taken over", event.host));
  for (const auto& host : avoided_.list()) emit(AvoidHost{host.node});
  for (auto& task : tasks_) {
    task.is_silent = false;
    adopt(task);
  }
  call_off_warnings();
  renew_deadlines();
  const bool has_started = std::ranges::any_of(started_of_role_, [](int started) { return started > 0; });
  if (plan_.rendezvous_in_master && has_started && !outcome_ && state_ != JobState::restarting)
    return restart_all("the scheduler of the tasks was lost with the job's master", Millis(0));
  if (state_ != JobState::restarting && state_ != JobState::stopping) emit(OpenRendezvous{});
  check_restart();
  check_finished();
}

// The cluster may have withdrawn a warning while no master ran. So all warnings are withdrawn; if one still holds, the
// cluster repeats it.
void Machine::call_off_warnings() {
  if (warnings_ == 0) return;
  for (auto& task : tasks_) {
    forget_warning(task);
    if (task.state == TaskState::running || task.state == TaskState::starting) emit(CallOff{id_of(task)});
  }
}

void Machine::adopt(Task& task) {
  using Stage = Adopt::Stage;
  const auto held = task.held;
  switch (task.state) {
    case TaskState::waiting:
      if (task.is_asked_for()) return ask_again(task);
      break;  // its back-off has not ended
    case TaskState::placed:
      return emit(Adopt{id_of(task), *task.place, Stage::placed});
    case TaskState::starting:
      emit(Adopt{id_of(task), *task.place, Stage::launched});
      return emit(Launch{id_of(task)});
    case TaskState::running:
      return emit(Adopt{id_of(task), *task.place, Stage::launched});
    case TaskState::stopping:
      emit(Adopt{id_of(task), *task.place, Stage::launched});
      return stop_again(task);
    case TaskState::absent:
      if (task.is_requested) return ask_again(task);
      break;
    case TaskState::succeeded:
    case TaskState::failed:
    case TaskState::stopped:
    case TaskState::lost:
      break;
  }
  if (held) emit(Adopt{{task.id, *held}, *task.place, Stage::over});
}

// An attempt that was not placed has not run. Its number is not used again, so that late reports of its container and
// its agent are ignored.
void Machine::ask_again(Task& task) {
  if (std::exchange(task.is_recorded, false))
    record(RecordKind::task_stopped, task, "stopped before it started: the job's master was lost");
  if (task.offered) {
    task.held = task.offered->attempt;
    task.place = task.offered->place;
    emit(Adopt{{task.id, *task.held}, *task.place, Adopt::Stage::over});
  }
  ++task.attempt;
  ask(task);
}

void Machine::stop_again(Task& task) {
  if (task.is_released && !outcome_) return emit(Release{id_of(task)});
  task.is_released = false;  // the new master has adopted its container
  const auto left =
      task.deadline ? std::chrono::duration_cast<Millis>(*task.deadline - now_) - kStopConfirmation : Millis(0);
  const auto grace = std::clamp(left, Millis(0), plan_.stop_grace);
  set_deadline(task, now_ + grace + kStopConfirmation);
  emit(Stop{id_of(task), grace});
}

void Machine::on(const Delayed&) {
  renew_deadlines();
  for (auto& task : tasks_) {
    if (task.deadline && task.state == TaskState::stopping)
      set_deadline(task, now_ + plan_.stop_grace + kStopConfirmation);
  }
}

// The time without a master does not count against deadlines.
void Machine::renew_deadlines() {
  if (allocation_deadline_) allocation_deadline_ = now_ + plan_.allocation_timeout;
  if (no_more_deadline_) {
    check_placed();
    check_asking();
  }
  if (rendezvous_deadline_) rendezvous_deadline_ = now_ + kCausesMoment;
  for (auto& task : tasks_) {
    if (!task.deadline) continue;
    if (task.is_asked_for()) set_place_deadline(task);
    if (task.state == TaskState::starting) set_deadline(task, now_ + plan_.start_timeout);
  }
}

}  // namespace ydl::job
