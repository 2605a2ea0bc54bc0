// How tasks are placed and started.
#include "core/strings.hpp"
#include "job/machine.hpp"
#include "job/role_words.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::job {
namespace {

// "2 workers, 1 ps", "2 to 8 workers".
std::string describe_roles(const std::vector<RolePlan>& roles) {
  std::vector<std::string> parts;
  for (const auto& role : roles)
    parts.push_back(role.is_elastic() ? fmt::format("{} to {}", role.least, counted(role.count, role.name))
                                      : counted(role.count, role.name));
  return core::join(parts, ", ");
}

}  // namespace

void Machine::on(const Begin&) {
  if (plan_.run_timeout > Millis(0)) run_deadline_ = now_ + plan_.run_timeout;
  place_all();
}

void Machine::place_all() {
  state_ = JobState::placing;
  allocation_deadline_ = now_ + plan_.allocation_timeout;
  record(RecordKind::job_placing,
         plan_.one_host
             ? fmt::format("starting {}", describe_roles(plan_.roles))
             : fmt::format("requesting {} ({})", core::plural(members(), "container"), describe_roles(plan_.roles)));
  emit(OpenRendezvous{});
  for (auto& task : tasks_) {
    if (task.is_member) ask(task);
  }
}

void Machine::ask(Task& task) {
  set_state(task, task.is_member ? TaskState::waiting : TaskState::absent);
  task.is_requested = !task.is_member;
  task.offered.reset();
  if (task.held) task.offered = {*task.held, *task.place};
  task.has_container = task.held.has_value();
  task.place.reset();
  task.running_since.reset();
  task.ended_at.reset();
  task.is_saving = false;
  task.is_released = false;
  task.is_recorded = false;
  task.is_silent = false;
  forget_warning(task);
  task.cause = Cause::none;
  emit(Ask{id_of(task), std::exchange(task.held, std::nullopt), task.same_ports, task.not_on});
}

void Machine::on(const Placed& event) {
  Task* task = current(event.attempt);
  if (task == nullptr || !task->is_asked_for()) {
    emit(Release{event.attempt});
    return;
  }
  set_state(*task, TaskState::placed);
  task->is_requested = false;
  task->place = event.place;
  task->offered.reset();
  task->not_on.clear();
  task->is_recorded = true;
  emit(
      Record{RecordKind::task_placed, id_of(*task), fmt::format("placed on {}", event.place.node), {}, event.place, 0});
  if (state_ == JobState::placing)
    check_placed();
  else if (!task->is_member)
    spare_task_placed(*task);
  else
    launch(*task);  // a retry of one task: its peers are running
}

void Machine::launch_all() {
  allocation_deadline_.reset();
  no_more_deadline_.reset();
  allocation_round_ = 1;  // a later restart of all tasks may use all rounds again
  state_ = JobState::starting;
  if (is_elastic_) settle_members();
  has_started_ = true;
  for (auto& task : tasks_) {
    if (task.state == TaskState::placed) launch(task);
  }
}

void Machine::launch(Task& task) {
  set_state(task, TaskState::starting);
  set_deadline(task, now_ + plan_.start_timeout);
  record(RecordKind::task_starting, task, "starting");
  emit(Launch{id_of(task)});
}

void Machine::on(const Granted& event) {
  Task* task = current(event.attempt);
  if (task == nullptr || !task->is_asked_for()) return;
  task->has_container = true;
  record(RecordKind::task_granted, *task, fmt::format("container allocated on {}", event.node));
}

void Machine::on(const Reached& event) {
  Task* task = current(event.attempt);
  if (task == nullptr || !task->is_asked_for()) return;
  record(RecordKind::task_reached, *task, "agent connected");
}

void Machine::on(const NotPlacedYet& event) {
  Task* task = current(event.attempt);
  if (task == nullptr || !task->is_asked_for() || task->reason == event.reason) return;
  task->reason = event.reason;
  if (!event.reason.empty() && task->is_member)
    record(RecordKind::task_waiting, *task, fmt::format("waiting: {}", event.reason));
}

void Machine::on(const CannotPlace& event) {
  Task* task = current(event.attempt);
  if (task == nullptr || !task->is_asked_for()) return;
  if (outcome_) {  // the job is ending
    stopped_before_it_ran(*task, event.reason);
    check_finished();
    return;
  }
  if (!task->is_member) return spare_task_lost(*task, fmt::format("cannot be placed: {}", event.reason));
  if (state_ == JobState::placing && can_go_without(*task)) {
    leave(*task, fmt::format("cannot be placed: {}", event.reason));
    task->is_requested = false;
    return check_placed();
  }
  set_state(*task, TaskState::failed, event.reason);
  task->cause = event.cause;
  const auto sentence = fmt::format("{} cannot be placed: {}", task->id.str(), event.reason);
  record_end(RecordKind::task_failed, *task, fmt::format("cannot be placed: {}", event.reason));
  if (const auto kind = role_of(*task).kind; kind == RoleKind::side || kind == RoleKind::evaluator) {
    set_deadline(*task, std::nullopt);
    only_reported(*task, fmt::format("tasks of role {} may fail", task->id.role));
    check_placed();
    return;
  }
  begin_stopping({JobState::failed, 1, sentence, id_of(*task), event.cause}, sentence);
}

void Machine::on(const Started& event) {
  Task* task = current(event.attempt);
  if (task == nullptr || task->state != TaskState::starting) return;
  set_state(*task, TaskState::running);
  set_deadline(*task, std::nullopt);
  task->running_since = now_;
  early_errors_.started(task->id);
  emit(Record{RecordKind::task_running,
              id_of(*task),
              fmt::format("running on {} (pid {})", task->place->node, event.pid),
              {},
              task->place,
              event.pid});
  check_all_running();
}

void Machine::check_all_running() {
  if (state_ != JobState::starting || count(TaskState::starting) > 0 || count(TaskState::waiting) > 0) return;
  state_ = JobState::running;
  const int all = members();
  record(RecordKind::job_running,
         all == 1 ? std::string("the task started") : fmt::format("all {} tasks started", all));
  begin_waiting_to_grow();
}

void Machine::on(const StartFailed& event) {
  Task* task = current(event.attempt);
  if (task == nullptr ||
      (task->state != TaskState::starting && task->state != TaskState::running && task->state != TaskState::stopping))
    return;
  // The task runs and will be stopped; a job that is ending does not restart for its ports.
  if (event.cause == Cause::port_taken && (task->state == TaskState::stopping || outcome_)) return;
  set_deadline(*task, std::nullopt);
  if (task->state == TaskState::stopping) {
    stopped_before_it_ran(*task, event.reason);
    emit(Release{id_of(*task)});
    after_stop(*task);
    return;
  }
  if (event.cause == Cause::port_taken) {
    const auto verdict = policy_.after_port_taken();
    if (verdict.what == Verdict::What::retry_gang) {
      record(RecordKind::task_retry, *task, fmt::format("{}; restarting all tasks {}", event.reason, verdict.reason));
      // The task itself runs, but its peers cannot reach it at the port; it is stopped with the others.
      restart_all(event.reason, Millis(0));
      return;
    }
    // The restarts that use no retry are used up. A retry would meet the same program on the same ports.
    const auto ended =
        note_failure(*task, Cause::port_taken, fmt::format("{}: {}", event.reason, verdict.reason), Container::gone);
    act_on(*task, policy_.after_failure({.role = task->role, .cause = Cause::cannot_start}, now_), ended);
    return;
  }
  task_failed(*task, event.cause, event.reason, Container::lives);
}

void Machine::start_timed_out(Task& task) {
  const auto sentence =
      fmt::format("did not start within {} (timeouts.start)", core::format_duration(plan_.start_timeout));
  stop_task(task, sentence, Millis(0));
  task_failed(task, Cause::timeout, sentence, Container::lives);
}

void Machine::retry_not_placed(Task& task) {
  if (goes_on_without(task)) return;
  if (relax_hosts(fmt::format("role {}", task.id.role))) return set_deadline(task, now_ + plan_.allocation_timeout);
  auto sentence = fmt::format("could not be placed again within {}", core::format_duration(plan_.allocation_timeout));
  if (!task.reason.empty()) sentence += fmt::format(": {}", task.reason);
  sentence += avoided_hosts_clause();
  task_failed(task, Cause::no_capacity, std::move(sentence), Container::gone);
}

void Machine::allocation_timed_out() {
  if (is_elastic_ && enough_are_placed()) return launch_all();
  if (relax_hosts("the job")) {
    allocation_deadline_ = now_ + plan_.allocation_timeout;
    return;
  }
  std::vector<std::string> missing;
  std::size_t unnamed = 0;
  for (const auto& task : tasks_) {
    if (task.state != TaskState::waiting) continue;
    if (missing.size() == 8)
      ++unnamed;
    else
      missing.push_back(task.reason.empty() ? task.id.str() : fmt::format("{} ({})", task.id.str(), task.reason));
  }
  if (unnamed > 0) missing.push_back(fmt::format("and {} more", unnamed));
  const auto sentence = fmt::format("{} of {} could not be placed within {}: {}", count(TaskState::waiting),
                                    core::plural(static_cast<std::int64_t>(tasks_.size()), "task"),
                                    core::format_duration(plan_.allocation_timeout), core::join(missing, ", ")) +
                        avoided_hosts_clause();
  if (allocation_round_ >= plan_.allocation_rounds) {
    begin_stopping({JobState::failed, 1, sentence, {}, Cause::no_capacity}, sentence);
    return;
  }
  ++allocation_round_;
  // Two jobs that each hold part of the cluster would wait for each other for ever. So the job releases all containers
  // and requests them again after a random pause.
  request_all_again();
  restart_all(sentence, random_backoff());
}

}  // namespace ydl::job
