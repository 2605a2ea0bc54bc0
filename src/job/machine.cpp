#include "job/machine.hpp"

#include "core/assert.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::job {
Machine::Machine(Plan plan)
    : plan_(std::move(plan)),
      policy_(plan_),
      avoided_(plan_.blacklist),
      early_errors_(plan_),
      started_of_role_(plan_.roles.size()),
      members_of_role_(plan_.roles.size()),
      random_(plan_.seed | 1U) {
  for (std::size_t r = 0; r < plan_.roles.size(); ++r) {
    const auto& role = plan_.roles[r];
    is_elastic_ = is_elastic_ || role.is_elastic();
    members_of_role_[r] = role.count;
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
  // Notes are recorded even after the job has finished.
  if (!finished() || std::holds_alternative<Noted>(event)) std::visit([this](const auto& e) { on(e); }, event);
  return std::exchange(actions_, {});
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
  if (due(no_more_deadline_)) no_more_allocated();
  if (due(growth_deadline_)) growth_deadline_passed();
  if (due(backoff_deadline_)) check_restart();
  if (due(settle_deadline_)) settle();
  if (due(rendezvous_deadline_)) rendezvous_failed();
  forgive_hosts();
  if (due(evaluator_deadline_)) {
    for (auto& task : tasks_) {
      if (role_of(task).kind != RoleKind::evaluator || is_final(task.state)) continue;
      record(RecordKind::note, task,
             fmt::format("did not finish within {} after {} succeeded (timeouts.evaluator)",
                         core::format_duration(plan_.evaluator_grace), describe_deciders()));
      stop_task(task, "timeouts.evaluator has passed", plan_.stop_grace);
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

std::optional<Instant> Machine::next_deadline() const {
  std::optional<Instant> next;
  const auto consider = [&next](std::optional<Instant> deadline) {
    if (deadline && (!next || *deadline < *next)) next = deadline;
  };
  if (finished()) return next;
  for (const auto& deadline :
       {run_deadline_, allocation_deadline_, backoff_deadline_, evaluator_deadline_, settle_deadline_,
        rendezvous_deadline_, no_more_deadline_, growth_deadline_, avoided_.next_deadline()})
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
         count(TaskState::stopped) - count(TaskState::lost) - count(TaskState::absent) - spare_tasks();
}

double Machine::random() {
  // xorshift64*: the quality does not matter here, but the same seed must give the same run.
  random_ ^= random_ >> 12U;
  random_ ^= random_ << 25U;
  random_ ^= random_ >> 27U;
  constexpr double kSteps = 1U << 30U;
  return static_cast<double>(random_ * 2685821657736338717ULL >> 34U) / kSteps;
}

Millis Machine::random_backoff() {
  return Millis(1 + static_cast<std::int64_t>(random() * static_cast<double>(plan_.allocation_backoff.count())));
}

// 1, 2, 4 … 60 s, varied by a fifth at random, so that tasks that failed together do not restart at the same moment.
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
  if (is_final(state) && state != TaskState::absent) task.ended_at = now_;
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
                              task.ended_at, task.exit, task.cause, task.saved_at, task.saved_as_first,
                              task.is_member});
  }
  return snapshot;
}

}  // namespace ydl::job
