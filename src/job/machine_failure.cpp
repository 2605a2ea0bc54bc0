// How tasks end, and what follows from failures: a retry of the task, of the gang or of the job, or the end of the job.
#include "core/strings.hpp"
#include "job/machine.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::job {
namespace {

constexpr Millis kPeersMoment = core::Seconds(1);      // for other tasks to show the same error
constexpr Millis kLongRun = std::chrono::minutes(10);  // a failure after this run time starts a new series

}  // namespace

void Machine::on(const Exited& event) {
  Task* task = current(event.attempt);
  if (task == nullptr || is_final(task->state) || task->state == TaskState::waiting || task->state == TaskState::placed)
    return;
  set_deadline(*task, std::nullopt);
  task->exit = event.status;
  const bool was_stopping = task->state == TaskState::stopping;
  if (was_stopping) {
    if (task->running_since && now_ - *task->running_since > kEarly) early_errors_.note(task->id, std::nullopt);
    set_state(*task, TaskState::stopped, task->reason);
    record(RecordKind::task_stopped, *task,
           event.status.ok() ? "stopped" : fmt::format("stopped; it {}", describe(event.status)), event.status);
    emit(MemberEnded{id_of(*task), MemberEnded::Next::gone, describe(event.status)});
    keep_or_release(*task);
    after_stop(*task);
    return;
  }
  if (event.status.cause == Cause::preempted || !event.status.ok()) {
    const auto cause = cause_of(event.status);
    const bool is_of_the_task = cause == Cause::exit_code || cause == Cause::signal;
    task_failed(*task, is_of_the_task && is_warned(*task) ? Cause::preempted : cause, describe(event.status),
                Container::lives);
    return;
  }
  set_state(*task, TaskState::succeeded);
  early_errors_.note(task->id, std::nullopt);
  record(RecordKind::task_succeeded, *task, "succeeded", event.status);
  emit(MemberEnded{id_of(*task), MemberEnded::Next::left, {}});
  if (plan_.rendezvous_at == task->id && !outcome_)
    task->held = task->attempt;  // the scheduler in its container still serves the other tasks
  else
    emit(Release{id_of(*task)});
  check_all_running();
  if (role_of(*task).kind == RoleKind::decider) decider_done();
  check_finished();
}

void Machine::on(const Lost& event) {
  Task* task = current(event.attempt);
  if (task == nullptr || is_final(task->state)) return;
  if (task->state == TaskState::waiting) {
    if (!task->same_ports.empty() && task->is_asked_for()) address_lost(*task, event);
    return;
  }
  set_deadline(*task, std::nullopt);
  if (task->state == TaskState::stopping) {
    set_state(*task, TaskState::lost, event.reason);
    task->cause = event.cause;
    record_end(RecordKind::task_lost, *task, fmt::format("was lost while it was stopping: {}", event.reason));
    emit(MemberEnded{id_of(*task), MemberEnded::Next::gone, event.reason});
    after_stop(*task);
    return;
  }
  // The task had not started, so this uses no retry.
  if (task->state == TaskState::placed && (state_ == JobState::placing || is_spare(*task))) {
    task->cause = event.cause;
    record_end(RecordKind::task_lost, *task, fmt::format("was lost: {}", event.reason));
    blame_host(task->place->node, event.cause, fmt::format("{} was lost", task->id.str()));
    if (is_spare(*task) && !starts_alone(*task) && state_ != JobState::placing)
      return spare_task_lost(*task, event.reason);
    ++task->attempt;
    ask(*task);
    return check_placed();
  }
  task_failed(*task, event.cause, fmt::format("was lost: {}", event.reason), Container::gone);
}

// Its peers connect to the old address, and the task cannot have that address again. Only a restart of all tasks gives
// them a new one.
void Machine::address_lost(Task& task, const Lost& event) {
  const auto sentence = fmt::format("cannot restart at its address: {}", event.reason);
  record(RecordKind::task_retry, task, sentence);
  restart_all(fmt::format("{} {}", task.id.str(), sentence), Millis(0));
}

void Machine::task_failed(Task& task, Cause cause, std::string sentence, Container container) {
  const auto ended = note_failure(task, cause, std::move(sentence), container);
  if (settling_ && tasks_[settling_->task].role == task.role) {  // the machine acts on the first failure
    if (started_of_role_[task.role] == 0) settle();
    return;
  }
  if (is_error_of_the_job(task)) return fail_fast(task);
  if (waits_for_peers(task)) {
    settling_ = ended;
    settle_deadline_ = now_ + kPeersMoment;
    return;
  }
  decide(ended);
}

// Records what holds for every verdict: that the attempt ended, whether its host is to blame, and whether its container
// is kept.
Machine::Ended Machine::note_failure(Task& task, Cause cause, std::string sentence, Container container) {
  const auto node = task.place ? task.place->node : std::string();
  const auto ran = task.running_since ? std::chrono::duration_cast<Millis>(now_ - *task.running_since) : Millis(0);
  const bool is_peer = settling_ && tasks_[settling_->task].role == task.role;  // another one failed a moment ago
  task.cause = cause;
  early_errors_.note(task.id,
                     task.running_since && task.exit ? early_error(*task.exit, cause, node, ran) : std::nullopt);
  if (ran > kLongRun) task.failures_in_a_row = restarts_in_a_row_ = 0;
  if (judge(cause).backs_off) ++task.failures_in_a_row;
  const bool may_be_the_host = !is_peer && early_errors_.of(task.id) != nullptr && !plan_.one_host &&
                               role_of(task).restart != RestartUnit::task_in_place;
  if (!node.empty() && (judge(cause).blames_host || may_be_the_host)) task.not_on = {node};
  blame_host(node, cause, fmt::format("{} {}", task.id.str(), sentence));

  const bool stops_first = task.state == TaskState::stopping;  // after start_timed_out() its process may still run
  Ended ended{index_.at(task.id), cause, std::move(sentence), container == Container::lives && may_stay(task)};
  if (!stops_first) {
    set_state(task, TaskState::failed, ended.sentence);
    if (ended.keeps_container)
      task.held = task.attempt;
    else
      emit(Release{id_of(task)});
  }
  record_end(RecordKind::task_failed, task, ended.sentence);
  emit(MemberEnded{id_of(task), MemberEnded::Next::unknown, ended.sentence});
  return ended;
}

// An error of the program shows in every task. The machine waits a moment for the errors of the others, because an
// error that only one task shows looks like a fault of its host.
bool Machine::waits_for_peers(const Task& task) const {
  const auto kind = role_of(task).kind;
  if (!plan_.fail_fast || outcome_ || state_ == JobState::restarting || settling_) return false;
  if (kind == RoleKind::side || kind == RoleKind::evaluator || policy_.retries_alone(task.role)) return false;
  return early_errors_.of(task.id) != nullptr && started_of_role_[task.role] > 0;
}

void Machine::settle() {
  settle_deadline_.reset();
  if (!settling_) return;
  const auto first = *std::exchange(settling_, std::nullopt);
  const auto& task = tasks_[first.task];
  if (is_error_of_the_job(task)) return fail_fast(task);
  decide(first);
}

bool Machine::is_error_of_the_job(const Task& task) const {
  const auto kind = role_of(task).kind;
  if (!plan_.fail_fast || outcome_ || kind == RoleKind::side || kind == RoleKind::evaluator) return false;
  return early_errors_.is_everywhere(task.id) && unused_retries(task) > 0;
}

// A retry whose back-off has not ended was taken from the budget, but is not used yet.
int Machine::unused_retries(const Task& task) const {
  const auto waiting =
      std::ranges::count_if(tasks_, [&](const Task& other) { return other.role == task.role && other.backs_off; });
  return policy_.retries_left(task.role) + static_cast<int>(waiting);
}

void Machine::fail_fast(const Task& task) {
  const auto& error = *early_errors_.of(task.id);
  const int unused = unused_retries(task);
  const auto* const where = plan_.one_host ? "the same in every task" : "the same on every host";
  begin_stopping({JobState::failed, exit_code_of(task),
                  fmt::format("{} {}: {}; {}: trying again cannot help; {} unused (fail_fast: false tries them)",
                              task.id.str(), describe(*task.exit), error.last_line, where,
                              unused == 1 ? "1 retry" : fmt::format("{} retries", unused)),
                  id_of(task), task.cause},
                 fmt::format("{} failed with an error that is {}", task.id.str(), where));
}

void Machine::decide(const Ended& ended) {
  auto& task = tasks_[ended.task];
  if (plan_.one_host && (ended.cause == Cause::agent_lost || ended.cause == Cause::host_lost))
    return act_on(task, {Verdict::What::fail_job, "the job has no other host"}, ended);
  const auto node = task.place ? task.place->node : std::string();
  act_on(task, policy_.after_failure({task.role, ended.cause, node, ended.keeps_container}, now_), ended);
}

void Machine::act_on(Task& task, const Verdict& verdict, const Ended& ended) {
  const bool is_over = outcome_ || state_ == JobState::finishing;
  const bool backs_off = judge(ended.cause).backs_off;
  const auto wait = [](Millis backoff) {
    return backoff > Millis(0) ? fmt::format(" in {}", core::format_duration(backoff)) : std::string();
  };
  using What = Verdict::What;
  switch (verdict.what) {
    case What::report_only:
      release_held(task);
      only_reported(task, verdict.reason);
      return;
    case What::retry_task: {
      if (is_over) break;
      const auto backoff = backs_off ? backoff_after(task.failures_in_a_row) : Millis(0);
      record(RecordKind::task_retry, task, fmt::format("restarting{} ({})", wait(backoff), verdict.reason));
      emit(MemberEnded{id_of(task), MemberEnded::Next::restarts, ended.sentence});
      if (role_of(task).restart == RestartUnit::task_in_place && task.place) task.same_ports = task.place->ports;
      task.backoff = backoff;
      if (task.state == TaskState::stopping)
        task.retry_when_ended = true;
      else
        retry_task(task, backoff);
      return;
    }
    case What::retry_gang:
    case What::retry_job: {
      if (is_over) break;
      if (verdict.what == What::retry_job) ++job_attempt_;
      const auto backoff = backs_off ? backoff_after(++restarts_in_a_row_) : Millis(0);
      record(RecordKind::task_retry, task, fmt::format("restarting all tasks{} ({})", wait(backoff), verdict.reason));
      restart_all(fmt::format("{} {}", task.id.str(), ended.sentence), backoff);
      return;
    }
    case What::fail_job:
      break;
  }
  release_held(task);
  if (is_over) {  // all deciders succeeded, so the failure does not matter
    check_finished();
    return;
  }
  const auto text = fmt::format("{} {}", task.id.str(), ended.sentence);
  begin_stopping({JobState::failed, exit_code_of(task), text, id_of(task), ended.cause},
                 fmt::format("{} failed and {}{}", task.id.str(), verdict.reason,
                             tasks_.size() == 1 ? "" : "; stopping the other tasks"));
}

// The code that a shell would report: 127 for a command that does not exist, 126 for one that cannot be executed.
int Machine::exit_code_of(const Task& task) {
  constexpr int kCommandNotFound = 127;
  constexpr int kNotExecutable = 126;
  if (task.cause == Cause::not_executable) return kNotExecutable;
  if (task.cause == Cause::cannot_start) return kCommandNotFound;
  return task.exit ? std::max(task.exit->shell_code(), 1) : 1;
}

// A task that was stopped has ended: continue what waited for that.
void Machine::after_stop(Task& task) {
  if (std::exchange(task.retry_when_ended, false) && !outcome_ && state_ != JobState::restarting)
    retry_task(task, task.backoff);
  check_restart();
  check_finished();
}

void Machine::only_reported(Task& task, std::string_view why) {
  record(RecordKind::note, task, fmt::format("the job continues without it: {}", why));
  check_all_running();
  check_finished();
}

void Machine::retry_task(Task& task, Millis backoff) {
  if (backoff > Millis(0)) {
    set_state(task, TaskState::waiting, task.reason);
    task.backs_off = true;
    set_deadline(task, now_ + backoff);
    return;
  }
  task.backs_off = false;
  ++task.attempt;
  ask(task);
  set_place_deadline(task);
}

// Stops every task. check_restart() then requests containers for new attempts of all tasks.
void Machine::restart_all(std::string why, Millis backoff) {
  state_ = JobState::restarting;
  restart_backoff_ = backoff;
  allocation_deadline_.reset();
  settle_deadline_.reset();
  rendezvous_deadline_.reset();
  settling_.reset();
  record(RecordKind::job_restarting, fmt::format("restarting all tasks: {}", why));
  emit(CloseRendezvous{});
  keep_placed_spares();
  for (auto& task : tasks_) {
    task.same_ports.clear();
    if (task.is_member && !is_final(task.state) && task.state != TaskState::stopping)
      stop_task(task, "all tasks restart", plan_.stop_grace);
  }
  check_restart();
}

void Machine::check_restart() {
  if (state_ != JobState::restarting || not_ended() > 0 || backoff_deadline_) return;
  if (restart_backoff_ > Millis(0)) {
    backoff_deadline_ = now_ + std::exchange(restart_backoff_, Millis(0));
    return;
  }
  take_spares_in();
  deciders_left_ = 0;
  for (auto& task : tasks_) {
    if (!task.is_member) {
      if (!task.is_requested) ++task.attempt;  // a later attempt must not have a number of an earlier start
      continue;
    }
    if (task.held && avoided_.contains(task.place->node)) release_held(task);
    ++task.attempt;
    task.exit.reset();
    task.retry_when_ended = false;
    if (role_of(task).kind == RoleKind::decider) ++deciders_left_;
  }
  place_all();
}

}  // namespace ydl::job
