// How tasks end, and what their failures lead to: a retry of the task, of the gang or of the job, or the job's end.
#include "core/strings.hpp"
#include "job/machine.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::job {

void Machine::on(const Exited& event) {
  Task* task = current(event.attempt);
  if (task == nullptr || is_final(task->state) || task->state == TaskState::waiting || task->state == TaskState::placed)
    return;
  set_deadline(*task, std::nullopt);
  task->exit = event.status;
  const bool was_stopping = task->state == TaskState::stopping;
  if (was_stopping) {
    set_state(*task, TaskState::stopped, task->reason);
    record(RecordKind::task_stopped, *task, fmt::format("stopped ({})", describe(event.status)), event.status);
    emit(MemberEnded{id_of(*task), MemberEnded::Next::gone, describe(event.status)});
    emit(Release{id_of(*task)});
    after_stop(*task);
    return;
  }
  if (!event.status.ok()) {
    task_failed(*task, cause_of(event.status), describe(event.status));
    return;
  }
  set_state(*task, TaskState::succeeded);
  record(RecordKind::task_succeeded, *task, "ended well", event.status);
  emit(MemberEnded{id_of(*task), MemberEnded::Next::left, {}});
  emit(Release{id_of(*task)});
  check_all_running();
  if (role_of(*task).kind == RoleKind::decider) decider_done();
  check_finished();
}

void Machine::on(const Lost& event) {
  Task* task = current(event.attempt);
  if (task == nullptr || is_final(task->state) || task->state == TaskState::waiting) return;
  set_deadline(*task, std::nullopt);
  if (task->state == TaskState::stopping) {
    set_state(*task, TaskState::lost, event.reason);
    task->cause = event.cause;
    record_end(RecordKind::task_lost, *task, fmt::format("was lost while it stopped: {}", event.reason));
    emit(MemberEnded{id_of(*task), MemberEnded::Next::gone, event.reason});
    after_stop(*task);
    return;
  }
  if (task->state == TaskState::placed && state_ == JobState::placing) {  // nothing ran: ask again, nothing to charge
    task->cause = event.cause;
    record_end(RecordKind::task_lost, *task, fmt::format("was lost: {}", event.reason));
    ++task->attempt;
    ask(*task);
    return;
  }
  task_failed(*task, event.cause, fmt::format("was lost: {}", event.reason));
}

void Machine::task_failed(Task& task, Cause cause, std::string sentence) {
  act_on(task, policy_.after_failure(task.role, cause), cause, std::move(sentence));
}

void Machine::act_on(Task& task, const Verdict& verdict, Cause cause, std::string sentence) {
  task.cause = cause;
  const bool stops_first = task.state == TaskState::stopping;  // start_timed_out: its process may still be there
  if (!stops_first) {
    set_state(task, TaskState::failed, sentence);
    emit(Release{id_of(task)});
  }
  record_end(RecordKind::task_failed, task, sentence);
  emit(MemberEnded{id_of(task), MemberEnded::Next::unknown, sentence});

  using What = Verdict::What;
  switch (verdict.what) {
    case What::report_only:
      record(RecordKind::note, task, fmt::format("its failure is only reported: {}", verdict.reason));
      check_all_running();
      check_finished();
      return;
    case What::retry_task:
      if (outcome_ || state_ == JobState::finishing) break;
      record(RecordKind::task_retry, task, fmt::format("starts again: {}", verdict.reason));
      emit(MemberEnded{id_of(task), MemberEnded::Next::restarts, sentence});
      if (stops_first)
        task.retry_when_ended = true;
      else
        retry_task(task);
      return;
    case What::retry_gang:
    case What::retry_job:
      if (outcome_ || state_ == JobState::finishing) break;
      if (verdict.what == What::retry_job) ++job_attempt_;
      record(RecordKind::task_retry, task, fmt::format("all tasks start again: {}", verdict.reason));
      restart_all(fmt::format("{} {}", task.id.str(), sentence), Millis(0));
      return;
    case What::fail_job:
      break;
  }
  if (outcome_ || state_ == JobState::finishing) {  // the deciders are done: nobody needs it any more
    check_finished();
    return;
  }
  const auto text = fmt::format("{} {}", task.id.str(), sentence);
  begin_stopping({JobState::failed, exit_code_of(task), text, id_of(task), cause},
                 fmt::format("{} failed and {}{}", task.id.str(), verdict.reason,
                             tasks_.size() == 1 ? "" : ": stopping the others"));
}

// The code that a shell would report: 127 for a command that cannot be started.
int Machine::exit_code_of(const Task& task) {
  constexpr int kCommandNotFound = 127;
  if (task.cause == Cause::cannot_start) return kCommandNotFound;
  return task.exit ? std::max(task.exit->shell_code(), 1) : 1;
}

// A task that was asked to stop is gone: whoever waited for that goes on.
void Machine::after_stop(Task& task) {
  if (std::exchange(task.retry_when_ended, false) && !outcome_ && state_ != JobState::restarting) retry_task(task);
  check_restart();
  check_finished();
}

void Machine::retry_task(Task& task) {
  ++task.attempt;
  ask(task);
  set_deadline(task, now_ + plan_.allocation_timeout);
}

void Machine::on(const HostFailed& event) {
  (void)event;
}

void Machine::on(const NoHostLeft& event) {
  (void)event;
}

// Ends every task, then asks for all places again with new attempts.
void Machine::restart_all(std::string why, Millis backoff) {
  state_ = JobState::restarting;
  restart_backoff_ = backoff;
  allocation_deadline_.reset();
  record(RecordKind::job_restarting, fmt::format("all tasks start again: {}", why));
  emit(CloseRendezvous{});
  for (auto& task : tasks_) {
    if (!is_final(task.state) && task.state != TaskState::stopping)
      stop_task(task, "all tasks start again", plan_.stop_grace);
  }
  check_restart();
}

void Machine::check_restart() {
  if (state_ != JobState::restarting || not_ended() > 0 || backoff_deadline_) return;
  if (restart_backoff_ > Millis(0)) {
    backoff_deadline_ = now_ + std::exchange(restart_backoff_, Millis(0));
    return;
  }
  deciders_left_ = 0;
  for (auto& task : tasks_) {
    ++task.attempt;
    task.exit.reset();
    task.retry_when_ended = false;
    if (role_of(task).kind == RoleKind::decider) ++deciders_left_;
  }
  place_all();
}

}  // namespace ydl::job
