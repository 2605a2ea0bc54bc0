// Roles that can run with fewer tasks: which tasks are members of the job, and which are absent. Every change follows
// from the events alone, so that a new master that replays them has the same members.
#include "core/strings.hpp"
#include "job/machine.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::job {
namespace {

// How long a start waits for one more container before it continues with those it has.
constexpr Millis kNoMore = core::Seconds(10);
// How long the job waits for a container for a task that was lost before it continues without the task.
constexpr Millis kNoContainer = core::Seconds(30);

}  // namespace

int Machine::members() const {
  if (!is_elastic_) return task_count();
  return static_cast<int>(std::ranges::count_if(tasks_, &Task::is_member));
}

bool Machine::can_go_without(const Task& task) const {
  return task.is_member && role_of(task).is_elastic() && members_of_role_[task.role] > role_of(task).least;
}

void Machine::join(Task& task) {
  if (std::exchange(task.is_member, true)) return;
  early_errors_.resized(task.id.role, ++members_of_role_[task.role]);
  if (role_of(task).kind == RoleKind::decider) ++deciders_left_;
  record(RecordKind::task_joined, task,
         fmt::format("joined: role {} now has {}", task.id.role, core::plural(members_of_role_[task.role], "task")));
}

// The task has no process and no container. A request for a container stays open.
void Machine::leave(Task& task, std::string why) {
  task.is_member = false;
  task.is_requested = task.is_asked_for();
  early_errors_.note(task.id, std::nullopt);
  early_errors_.resized(task.id.role, --members_of_role_[task.role]);
  if (role_of(task).kind == RoleKind::decider) --deciders_left_;
  set_deadline(task, std::nullopt);
  record(RecordKind::task_absent, task,
         fmt::format("the job continues without it: {}; role {} now has {}", why, task.id.role,
                     core::plural(members_of_role_[task.role], "task")));
  task.is_recorded = false;
  set_state(task, TaskState::absent, std::move(why));
}

// Releases the container of an absent task, or takes back the request for it.
void Machine::give_back(Task& task, std::string why) {
  if (std::exchange(task.is_recorded, false))
    record_end(RecordKind::task_absent, task, fmt::format("its container is released: {}", why));
  task.is_requested = false;
  task.place.reset();
  set_state(task, TaskState::absent, std::move(why));
  emit(Release{id_of(task)});
}

// ---- the start of all ------------------------------------------------------------------------------------------

// Whether enough tasks of the role have a container, or have one kept for them.
bool Machine::has_enough(std::size_t role) const {
  int with_container = 0;
  for (const auto& task : tasks_) {
    if (task.role != role) continue;
    const bool waits = task.state == TaskState::waiting && !task.has_container;
    if (is_spare(task) || (task.is_member && !waits)) ++with_container;
  }
  return with_container >= plan_.roles[role].least;
}

bool Machine::enough_are_placed() const {
  std::vector<int> missing(plan_.roles.size());
  std::vector<int> spare(plan_.roles.size());
  for (const auto& task : tasks_) {
    if (task.state == TaskState::waiting) ++missing[task.role];
    if (is_spare(task)) ++spare[task.role];
  }
  for (std::size_t r = 0; r < plan_.roles.size(); ++r) {
    const auto& role = plan_.roles[r];
    if (role.is_elastic() ? members_of_role_[r] - missing[r] + spare[r] < role.least : missing[r] > 0) return false;
  }
  return true;
}

// Called after each change of placed tasks. After the first start the job waits longer, because the container for a
// lost task may need more time than the containers of a new job, which come one after the other.
void Machine::check_placed() {
  if (state_ != JobState::placing) return;
  no_more_deadline_.reset();
  if (count(TaskState::waiting) == 0) return launch_all();
  if (is_elastic_ && enough_are_placed()) no_more_deadline_ = now_ + (has_started_ ? kNoContainer : kNoMore);
}

// A container whose files are still being downloaded counts as one that has come.
void Machine::no_more_allocated() {
  const bool some_come = std::ranges::any_of(tasks_, [this](const Task& task) {
    return task.is_asked_for() && task.has_container && (state_ == JobState::placing || !starts_alone(task));
  });
  if (some_come) {
    no_more_deadline_ = now_ + kNoMore;
    return;
  }
  if (state_ == JobState::placing) return launch_all();
  if (growth_ == Growth::asking) await_save();
}

// Requests for tasks that start alone stay open, because these tasks can join at any time.
void Machine::settle_members() {
  const auto* const why =
      has_started_ ? "no container was allocated within 30 s" : "no further container was allocated for 10 s";
  for (auto& task : tasks_) {
    if (task.state == TaskState::waiting) {
      leave(task, why);
      if (!starts_alone(task)) give_back(task, why);
    } else if (is_spare(task)) {
      join(task);
    } else if (task.is_requested && !starts_alone(task)) {
      give_back(task, why);
    }
  }
  note_first();
}

// The first task of each role has rank 0, or the equivalent in its framework.
void Machine::note_first() {
  std::vector<bool> found(plan_.roles.size());
  for (auto& task : tasks_) {
    task.is_first = task.is_member && role_of(task).kind == RoleKind::decider && !found[task.role];
    if (task.is_first) found[task.role] = true;
  }
}

// A new round of requests begins, in which any task of the role may be placed.
void Machine::request_all_again() {
  if (!is_elastic_) return;
  for (auto& task : tasks_) {
    if (task.is_member) continue;
    if (task.is_requested || is_spare(task)) give_back(task, "all containers are released");
    task.is_member = true;
    early_errors_.resized(task.id.role, ++members_of_role_[task.role]);
    set_state(task, TaskState::stopped, task.reason);
  }
}

// ---- a task alone ----------------------------------------------------------------------------------------------

void Machine::set_place_deadline(Task& task) {
  task.may_leave = can_go_without(task);
  set_deadline(task,
               now_ + (task.may_leave ? std::min(kNoContainer, plan_.allocation_timeout) : plan_.allocation_timeout));
}

// Called when a task was not placed in time.
bool Machine::goes_on_without(Task& task) {
  if (can_go_without(task)) {
    leave(task, "no container was allocated within 30 s");
    if (deciders_left_ == 0 && !outcome_) begin_finishing();
    check_all_running();
    check_finished();
    return true;
  }
  if (!std::exchange(task.may_leave, false)) return false;
  set_deadline(task, now_ + plan_.allocation_timeout);  // other tasks have left since, so this one is needed
  return true;
}

}  // namespace ydl::job
