// Roles that go on with fewer tasks: which tasks the job has, and which are absent. Whatever changes that follows from
// the events, so that another master comes to the same tasks.
#include "core/strings.hpp"
#include "job/machine.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::job {
namespace {

constexpr Millis kNoMore = core::Seconds(10);       // without another place, before a start goes on with those it has
constexpr Millis kNoContainer = core::Seconds(30);  // for a task that is lost, before the job goes on without it

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

// It has no process and no container. Where it is asked for, it stays so.
void Machine::leave(Task& task, std::string why) {
  task.is_member = false;
  task.is_wanted = task.is_asked_for();
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

// What the job asks for, or has, for a task that it goes on without.
void Machine::give_back(Task& task, std::string why) {
  if (std::exchange(task.is_recorded, false))
    record_end(RecordKind::task_absent, task, fmt::format("its container is released: {}", why));
  task.is_wanted = false;
  task.place.reset();
  set_state(task, TaskState::absent, std::move(why));
  emit(Release{id_of(task)});
}

// ---- the start of all ------------------------------------------------------------------------------------------

// Whether the tasks of the role that have a container, or had one until now that is kept for them, are enough.
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

// After each change of who has a place. A lost task's next container may need longer than the first ones did to follow
// each other.
void Machine::check_placed() {
  if (state_ != JobState::placing) return;
  no_more_deadline_.reset();
  if (count(TaskState::waiting) == 0) return launch_all();
  if (is_elastic_ && enough_are_placed()) no_more_deadline_ = now_ + (has_started_ ? kNoContainer : kNoMore);
}

// A container whose files are still being downloaded has come.
void Machine::no_more_came() {
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

// Tasks that start alone stay asked for: they can come at any time.
void Machine::settle_members() {
  const auto* const why =
      has_started_ ? "no container was allocated within 30 s" : "no further container was allocated for 10 s";
  for (auto& task : tasks_) {
    if (task.state == TaskState::waiting) {
      leave(task, why);
      if (!starts_alone(task)) give_back(task, why);
    } else if (is_spare(task)) {
      join(task);
    } else if (task.is_wanted && !starts_alone(task)) {
      give_back(task, why);
    }
  }
  note_first();
}

// Of each role the one that has rank 0, or what its framework calls it.
void Machine::note_first() {
  std::vector<bool> found(plan_.roles.size());
  for (auto& task : tasks_) {
    task.is_first = task.is_member && role_of(task).kind == RoleKind::decider && !found[task.role];
    if (task.is_first) found[task.role] = true;
  }
}

// Another round of asking for places begins: any of the tasks will do.
void Machine::want_all_again() {
  if (!is_elastic_) return;
  for (auto& task : tasks_) {
    if (task.is_member) continue;
    if (task.is_wanted || is_spare(task)) give_back(task, "all containers are released");
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

// Its place did not come in time.
bool Machine::goes_on_without(Task& task) {
  if (can_go_without(task)) {
    leave(task, "no container was allocated within 30 s");
    if (deciders_left_ == 0 && !outcome_) begin_finishing();
    check_all_running();
    check_finished();
    return true;
  }
  if (!std::exchange(task.may_leave, false)) return false;
  set_deadline(task, now_ + plan_.allocation_timeout);  // others have left since: it is needed
  return true;
}

}  // namespace ydl::job
