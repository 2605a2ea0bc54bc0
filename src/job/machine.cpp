#include "job/machine.hpp"

#include "core/assert.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::job {
namespace {

// "2 worker, 1 ps".
std::string describe_roles(const std::vector<RolePlan>& roles) {
  std::vector<std::string> parts;
  for (const auto& role : roles) parts.push_back(fmt::format("{} {}", role.count, role.name));
  return core::join(parts, ", ");
}

}  // namespace

Machine::Machine(Plan plan)
    : plan_(std::move(plan)),
      policy_(plan_),
      avoided_(plan_.blacklist),
      early_errors_(plan_),
      started_of_role_(plan_.roles.size()),
      random_(plan_.seed | 1U) {
  for (std::size_t r = 0; r < plan_.roles.size(); ++r) {
    const auto& role = plan_.roles[r];
    for (int i = 0; i < role.count; ++i) {
      Task task;
      task.id = {role.name, i};
      task.role = r;
      index_.emplace(task.id, tasks_.size());
      tasks_.push_back(std::move(task));
      ++by_state_[static_cast<std::size_t>(TaskState::waiting)];
      if (role.kind == RoleKind::decider) ++deciders_left_;
    }
  }
  YDL_ASSERT(deciders_left_ > 0);
}

std::optional<int> Machine::attempt_of(const TaskId& task) const {
  const auto found = index_.find(task);
  return found == index_.end() ? std::nullopt : std::optional(tasks_[found->second].attempt);
}

std::vector<Action> Machine::handle(const Event& event, Instant now) {
  now_ = now;
  actions_.clear();
  // People are told of what happens after the end, too.
  if (!finished() || std::holds_alternative<Noted>(event)) std::visit([this](const auto& e) { on(e); }, event);
  return std::exchange(actions_, {});
}

// ---- start -----------------------------------------------------------------------------------------------------

void Machine::on(const Begin&) {
  if (plan_.run_timeout > Millis(0)) run_deadline_ = now_ + plan_.run_timeout;
  place_all();
}

void Machine::place_all() {
  state_ = JobState::placing;
  allocation_deadline_ = now_ + plan_.allocation_timeout;
  record(RecordKind::job_placing,
         fmt::format("asking for {}: {}", core::plural(static_cast<std::int64_t>(tasks_.size()), "place"),
                     describe_roles(plan_.roles)));
  emit(OpenRendezvous{});
  for (auto& task : tasks_) ask(task);
}

void Machine::ask(Task& task) {
  set_state(task, TaskState::waiting);
  task.offered.reset();
  if (task.held) task.offered = {*task.held, *task.place};
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
  task->place = event.place;
  task->offered.reset();
  task->not_on.clear();
  task->is_recorded = true;
  emit(Record{
      RecordKind::task_placed, id_of(*task), fmt::format("has a place on {}", event.place.node), {}, event.place, 0});
  if (state_ == JobState::placing) {
    if (count(TaskState::waiting) == 0) launch_all();
  } else {
    launch(*task);  // a single task's retry: its peers are running
  }
}

void Machine::launch_all() {
  allocation_deadline_.reset();
  allocation_round_ = 1;  // a later restart of the gang has all rounds again
  state_ = JobState::starting;
  for (auto& task : tasks_) {
    if (task.state == TaskState::placed) launch(task);
  }
}

void Machine::launch(Task& task) {
  set_state(task, TaskState::starting);
  set_deadline(task, now_ + plan_.start_timeout);
  record(RecordKind::task_starting, task, "starts");
  emit(Launch{id_of(task)});
}

void Machine::on(const Granted& event) {
  Task* task = current(event.attempt);
  if (task == nullptr || !task->is_asked_for()) return;
  record(RecordKind::task_granted, *task, fmt::format("has a container on {}", event.node));
}

void Machine::on(const Reached& event) {
  Task* task = current(event.attempt);
  if (task == nullptr || !task->is_asked_for()) return;
  record(RecordKind::task_reached, *task, "has its agent");
}

void Machine::on(const NotPlacedYet& event) {
  Task* task = current(event.attempt);
  if (task == nullptr || !task->is_asked_for() || task->reason == event.reason) return;
  task->reason = event.reason;
  if (!event.reason.empty()) record(RecordKind::task_waiting, *task, fmt::format("waits: {}", event.reason));
}

void Machine::on(const CannotPlace& event) {
  Task* task = current(event.attempt);
  if (task == nullptr || !task->is_asked_for()) return;
  if (outcome_) {  // on its way out anyway
    stopped_before_it_ran(*task, event.reason);
    check_finished();
    return;
  }
  set_state(*task, TaskState::failed, event.reason);
  task->cause = event.cause;
  const auto sentence = fmt::format("{} cannot be placed: {}", task->id.str(), event.reason);
  record_end(RecordKind::task_failed, *task, fmt::format("cannot be placed: {}", event.reason));
  if (const auto kind = role_of(*task).kind; kind == RoleKind::side || kind == RoleKind::evaluator) {
    set_deadline(*task, std::nullopt);
    only_reported(*task, fmt::format("the job does not depend on role {}", task->id.role));
    if (state_ == JobState::placing && count(TaskState::waiting) == 0) launch_all();
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
              fmt::format("runs on {} (pid {})", task->place->node, event.pid),
              {},
              task->place,
              event.pid});
  check_all_running();
}

void Machine::check_all_running() {
  if (state_ != JobState::starting || count(TaskState::starting) > 0 || count(TaskState::waiting) > 0) return;
  state_ = JobState::running;
  record(RecordKind::job_running,
         tasks_.size() == 1 ? std::string("the task started") : fmt::format("all {} tasks started", tasks_.size()));
}

void Machine::on(const StartFailed& event) {
  Task* task = current(event.attempt);
  if (task == nullptr ||
      (task->state != TaskState::starting && task->state != TaskState::running && task->state != TaskState::stopping))
    return;
  // It runs, and its end will come; a job that ends is not started again for its ports.
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
      record(RecordKind::task_retry, *task,
             fmt::format("{}; starting all tasks again {}", event.reason, verdict.reason));
      // The task itself runs, on a port its peers cannot reach it by: it stops with the others.
      restart_all(event.reason, Millis(0));
      return;
    }
    // All uncharged restarts are used up: no retry gets the gang its ports.
    const auto ended =
        note_failure(*task, Cause::port_taken, fmt::format("{}: {}", event.reason, verdict.reason), Container::gone);
    act_on(*task, policy_.after_failure({.role = task->role, .cause = Cause::cannot_start}, now_), ended);
    return;
  }
  task_failed(*task, event.cause, event.reason, Container::lives);
}

// ---- time ------------------------------------------------------------------------------------------------------

void Machine::on(const Tick&) {
  const auto due = [this](std::optional<Instant>& deadline) {
    if (!deadline || *deadline > now_) return false;
    deadline.reset();
    return true;
  };
  if (due(run_deadline_)) {
    const auto sentence =
        fmt::format("ran longer than its limit of {} (timeouts.run)", core::format_duration(plan_.run_timeout));
    if (!outcome_)
      begin_stopping({JobState::failed, 124, "the job " + sentence, {}, Cause::timeout}, "the job " + sentence);
  }
  if (due(allocation_deadline_)) allocation_timed_out();
  if (due(backoff_deadline_)) check_restart();
  if (due(settle_deadline_)) settle();
  if (due(rendezvous_deadline_)) rendezvous_failed();
  forgive_hosts();
  if (due(evaluator_deadline_)) {
    for (auto& task : tasks_) {
      if (role_of(task).kind != RoleKind::evaluator || is_final(task.state)) continue;
      record(RecordKind::note, task,
             fmt::format("did not finish within {} after the deciders (timeouts.evaluator)",
                         core::format_duration(plan_.evaluator_grace)));
      stop_task(task, "its time after the deciders is over", plan_.stop_grace);
    }
    check_finished();
  }
  while (!finished() && !task_deadlines_.empty() && task_deadlines_.begin()->first <= now_) {
    Task& task = tasks_[task_deadlines_.begin()->second];
    set_deadline(task, std::nullopt);
    if (task.backs_off)
      retry_task(task, Millis(0));
    else if (task.state == TaskState::waiting)
      retry_not_placed(task);
    else if (task.state == TaskState::starting)
      start_timed_out(task);
    else if (task.state == TaskState::stopping)
      stop_timed_out(task);
  }
}

void Machine::start_timed_out(Task& task) {
  const auto sentence =
      fmt::format("did not start within {} (timeouts.start)", core::format_duration(plan_.start_timeout));
  stop_task(task, sentence, Millis(0));
  task_failed(task, Cause::timeout, sentence, Container::lives);
}

void Machine::retry_not_placed(Task& task) {
  if (relax_hosts(fmt::format("role {}", task.id.role))) return set_deadline(task, now_ + plan_.allocation_timeout);
  auto sentence =
      fmt::format("has no place for its next attempt after {}", core::format_duration(plan_.allocation_timeout));
  if (!task.reason.empty()) sentence += fmt::format(": {}", task.reason);
  sentence += not_used_again();
  task_failed(task, Cause::no_capacity, std::move(sentence), Container::gone);
}

void Machine::allocation_timed_out() {
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
  const auto sentence = fmt::format("{} of {} have no place after {}: {}", count(TaskState::waiting),
                                    core::plural(static_cast<std::int64_t>(tasks_.size()), "task"),
                                    core::format_duration(plan_.allocation_timeout), core::join(missing, ", ")) +
                        not_used_again();
  if (allocation_round_ >= plan_.allocation_rounds) {
    begin_stopping({JobState::failed, 1, sentence, {}, Cause::no_capacity}, sentence);
    return;
  }
  ++allocation_round_;
  // Two half-placed jobs must not wait for each other for ever: give all back, ask again at another time.
  restart_all(sentence, random_backoff());
}

std::optional<Instant> Machine::next_deadline() const {
  std::optional<Instant> next;
  const auto consider = [&next](std::optional<Instant> deadline) {
    if (deadline && (!next || *deadline < *next)) next = deadline;
  };
  if (finished()) return next;
  for (const auto& deadline : {run_deadline_, allocation_deadline_, backoff_deadline_, evaluator_deadline_,
                               settle_deadline_, rendezvous_deadline_, avoided_.next_deadline()})
    consider(deadline);
  if (!task_deadlines_.empty()) consider(task_deadlines_.begin()->first);
  return next;
}

// ---- helpers ---------------------------------------------------------------------------------------------------

Machine::Task* Machine::current(const AttemptId& attempt) {
  const auto found = index_.find(attempt.task);
  if (found == index_.end() || tasks_[found->second].attempt != attempt.attempt) return nullptr;
  return &tasks_[found->second];
}

int Machine::not_ended() const {
  return static_cast<int>(tasks_.size()) - count(TaskState::succeeded) - count(TaskState::failed) -
         count(TaskState::stopped) - count(TaskState::lost);
}

double Machine::random() {
  // xorshift64*: any spread will do, and the same seed gives the same run.
  random_ ^= random_ >> 12U;
  random_ ^= random_ << 25U;
  random_ ^= random_ >> 27U;
  constexpr double kSteps = 1U << 30U;
  return static_cast<double>(random_ * 2685821657736338717ULL >> 34U) / kSteps;
}

Millis Machine::random_backoff() {
  return Millis(1 + static_cast<std::int64_t>(random() * static_cast<double>(plan_.allocation_backoff.count())));
}

// 1, 2, 4 … 60 s, a fifth more or less: tasks that failed together do not come back together.
Millis Machine::backoff_after(int failures) {
  constexpr int kMostDoublings = 6;
  const auto seconds = std::min(60, 1 << std::min(std::max(failures, 1) - 1, kMostDoublings));
  constexpr double kJitter = 0.2;
  return Millis(static_cast<std::int64_t>(seconds * 1000 * (1 - kJitter + 2 * kJitter * random())));
}

void Machine::set_state(Task& task, TaskState state, std::string reason) {
  const auto has_started = [](TaskState s) {
    return s == TaskState::starting || s == TaskState::running || s == TaskState::stopping;
  };
  started_of_role_[task.role] += static_cast<int>(has_started(state)) - static_cast<int>(has_started(task.state));
  --by_state_[static_cast<std::size_t>(task.state)];
  ++by_state_[static_cast<std::size_t>(state)];
  task.state = state;
  task.reason = std::move(reason);
  if (is_final(state)) task.ended_at = now_;
}

void Machine::set_deadline(Task& task, std::optional<Instant> deadline) {
  const auto index = index_.at(task.id);
  if (task.deadline) task_deadlines_.erase({*task.deadline, index});
  if (deadline) task_deadlines_.emplace(*deadline, index);
  task.deadline = deadline;
}

void Machine::record(RecordKind kind, std::string text) {
  emit(Record{kind, {}, std::move(text), {}, {}, 0});
}

void Machine::record(RecordKind kind, Task& task, std::string text, std::optional<ExitStatus> exit) {
  task.is_recorded = true;
  emit(Record{kind, id_of(task), std::move(text), std::move(exit), {}, 0});
}

void Machine::record_end(RecordKind kind, const Task& task, std::string text) {
  emit(Record{kind, id_of(task), std::move(text), task.exit, {}, 0, task.cause});
}

Snapshot Machine::snapshot() const {
  Snapshot snapshot{state_, job_attempt_, {}, outcome_, avoided_.list()};
  snapshot.tasks.reserve(tasks_.size());
  for (const auto& task : tasks_) {
    snapshot.tasks.push_back({task.id, task.attempt, task.state, task.reason, task.place, task.running_since,
                              task.ended_at, task.exit, task.cause, task.saved_at});
  }
  return snapshot;
}

}  // namespace ydl::job
