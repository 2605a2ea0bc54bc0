// How a job ends: all deciders succeeded, a failure was final, or a user asked for a stop.
#include "core/strings.hpp"
#include "job/machine.hpp"
#include "job/role_words.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::job {
namespace {

constexpr Millis kStacksTime = core::Seconds(30);  // for the stacks of a task that hangs

}  // namespace

void Machine::decider_done() {
  --deciders_left_;
  if (deciders_left_ == 0 && !outcome_ && state_ != JobState::restarting) begin_finishing();
}

void Machine::begin_finishing() {
  state_ = JobState::finishing;
  const auto deciders = describe_deciders();
  outcome_ = Outcome{JobState::succeeded, 0, fmt::format("{} succeeded", deciders), {}, Cause::none};
  int evaluators = 0;
  std::vector<int> stopping(plan_.roles.size());
  for (const auto& task : tasks_) {
    if (is_final(task.state)) continue;
    if (role_of(task).kind == RoleKind::evaluator)
      ++evaluators;
    else
      ++stopping[task.role];
  }
  auto sentence = outcome_->reason;
  std::vector<std::string> stopped;
  for (std::size_t r = 0; r < stopping.size(); ++r) {
    if (stopping[r] > 0) stopped.push_back(with_article(stopping[r], plan_.roles[r].name));
  }
  if (!stopped.empty()) sentence += fmt::format("; stopping {}", core::join(stopped, " and "));
  if (evaluators > 0)
    sentence += fmt::format("; the evaluator has {} to finish", core::format_duration(plan_.evaluator_grace));
  record(RecordKind::job_finishing, std::move(sentence));
  if (evaluators > 0) evaluator_deadline_ = now_ + plan_.evaluator_grace;
  rendezvous_deadline_.reset();
  end_growth();
  for (auto& task : tasks_) {
    if (plan_.rendezvous_at == task.id) release_held(task);
    if (is_final(task.state) || role_of(task).kind == RoleKind::evaluator) continue;
    stop_task(task, fmt::format("{} succeeded", deciders), plan_.stop_grace);
  }
}

std::string Machine::describe_deciders() const {
  std::vector<std::string> parts;
  for (const auto& role : plan_.roles) {
    if (role.kind != RoleKind::decider) continue;
    parts.push_back(role.count == 1     ? fmt::format("the {}", role.name)
                    : role.is_elastic() ? fmt::format("all {}", plural_of(role.name))
                                        : fmt::format("all {}", counted(role.count, role.name)));
  }
  return core::join(parts, " and ");
}

void Machine::on(const Broken& event) {
  if (outcome_) return;  // the job is already ending
  begin_stopping({JobState::failed, 1, event.reason, {}, Cause::none}, event.reason);
}

void Machine::on(const RendezvousFailed& event) {
  if (current(event.attempt) == nullptr || outcome_ || state_ == JobState::restarting || rendezvous_deadline_) return;
  rendezvous_deadline_ = now_ + kCausesMoment;
  rendezvous_failure_ = event.reason;
}

void Machine::rendezvous_failed() {
  settle();
  if (outcome_ || state_ == JobState::restarting) return;
  begin_stopping({JobState::failed, 1, rendezvous_failure_, {}, Cause::none}, rendezvous_failure_);
}

void Machine::on(const StopRequested& event) {
  const auto grace = event.grace.value_or(plan_.stop_grace);
  if (event.grace == Millis(0)) ends_now_ = true;
  if (state_ != JobState::stopping) {
    const bool is_clause = event.by.starts_with("because ");
    const auto reason = is_clause ? fmt::format("stopped {}", event.by) : fmt::format("stopped by {}", event.by);
    begin_stopping({JobState::stopped, 130, reason, {}, Cause::stopped},
                   is_clause ? fmt::format("stopping {}", event.by) : fmt::format("stopping, as {} asked", event.by),
                   grace);
    return;
  }
  // A second request may shorten the grace.
  for (auto& task : tasks_) {
    if (task.state == TaskState::stopping) stop_task(task, task.reason, grace);
  }
}

void Machine::begin_stopping(Outcome outcome, std::string sentence, std::optional<Millis> grace) {
  state_ = JobState::stopping;
  outcome_ = std::move(outcome);
  allocation_deadline_.reset();
  backoff_deadline_.reset();
  evaluator_deadline_.reset();
  settle_deadline_.reset();
  rendezvous_deadline_.reset();
  settling_.reset();
  end_growth();
  record(RecordKind::job_stopping, std::move(sentence));
  emit(CloseRendezvous{});
  for (auto& task : tasks_) {
    if (!is_final(task.state)) stop_task(task, "the job stops", grace.value_or(plan_.stop_grace));
    release_held(task);
  }
  check_finished();
}

void Machine::stop_task(Task& task, std::string why, Millis grace, Stacks stacks) {
  task.retry_when_ended = false;
  if (std::exchange(task.backs_off, false)) {  // its next attempt is not requested yet
    set_deadline(task, std::nullopt);
    set_state(task, TaskState::failed, task.reason);
    if (state_ != JobState::restarting) release_held(task);
    return;
  }
  if (task.state == TaskState::waiting || task.state == TaskState::placed) {  // no process runs
    set_deadline(task, std::nullopt);
    stopped_before_it_ran(task, std::move(why));
    emit(Release{id_of(task)});
    return;
  }
  auto deadline = now_ + grace + kStopConfirmation + (stacks == Stacks::written ? kStacksTime : Millis(0));
  if (task.state != TaskState::stopping)
    record(RecordKind::task_stopping, task, fmt::format("stopping: {}", why));
  else if (task.deadline)
    deadline = std::min(deadline, *task.deadline);
  set_state(task, TaskState::stopping, std::move(why));
  set_deadline(task, deadline);
  emit(Stop{id_of(task), grace, stacks == Stacks::written});
}

// Without the event a timeline of the job would show the attempt as unfinished for ever. Attempts that appear in no
// earlier event get none, because a large job may have thousands of tasks that wait in a queue.
void Machine::stopped_before_it_ran(Task& task, std::string why) {
  if (task.is_recorded) record(RecordKind::task_stopped, task, "stopped before it started");
  set_state(task, TaskState::stopped, std::move(why));
}

void Machine::on(const Saving& event) {
  Task* task = current(event.attempt);
  if (task == nullptr || (task->state != TaskState::running && task->state != TaskState::stopping)) return;
  if (!std::exchange(task->is_saving, true)) record(RecordKind::note, *task, "has ended; saving its results");
  // Saving results may take long, so each report extends the deadline. If a user asked for a stop without grace, a file
  // system that hangs must not delay the end.
  if (task->state == TaskState::stopping && !ends_now_) set_deadline(*task, now_ + kStopConfirmation);
}

// If the job is ending, the task counts as lost. Otherwise its next attempt must not run beside this one: the release
// makes the backend kill the attempt, and the next one waits until the backend reports the end.
void Machine::stop_timed_out(Task& task) {
  if (!outcome_) {
    record(RecordKind::note, task, "did not confirm that it stopped; killing it");
    task.is_released = true;
    emit(Release{id_of(task)});
    return;
  }
  set_state(task, TaskState::lost, "its host did not confirm that it stopped");
  task.cause = Cause::agent_lost;
  record_end(RecordKind::task_lost, task, "its host did not confirm in time that it stopped");
  emit(MemberEnded{id_of(task), MemberEnded::Next::gone, task.reason});
  emit(Release{id_of(task)});
  after_stop(task);
}

void Machine::check_finished() {
  if (!outcome_ || finished() || not_ended() > 0) return;
  state_ = outcome_->state;
  const auto kind = state_ == JobState::succeeded ? RecordKind::job_succeeded
                    : state_ == JobState::failed  ? RecordKind::job_failed
                                                  : RecordKind::job_stopped;
  ExitStatus exit;
  exit.code = outcome_->exit_code;
  emit(Record{kind, {}, outcome_->reason, exit, {}, 0, outcome_->cause});
  emit(Finish{*outcome_});
}

}  // namespace ydl::job
