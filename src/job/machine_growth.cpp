// How absent tasks of elastic roles join again. A task that starts alone joins as soon as it is placed. In a gang all
// tasks restart for it, so this happens not too often, and only after a checkpoint was saved. A task that is placed and
// waits for that restart is spare.
#include "core/strings.hpp"
#include "job/machine.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::job {
namespace {

// How long the gang waits for one more container before it continues with those it has.
constexpr Millis kNoMore = core::Seconds(10);

}  // namespace

bool Machine::is_spare(const Task& task) const {
  return !task.is_member && task.state == TaskState::placed;
}

int Machine::spare_tasks() const {
  if (!is_elastic_) return 0;
  return static_cast<int>(std::ranges::count_if(tasks_, [this](const Task& task) { return is_spare(task); }));
}

void Machine::begin_waiting_to_grow() {
  if (!is_elastic_) return;
  const bool is_smaller =
      std::ranges::any_of(tasks_, [this](const Task& task) { return !task.is_member && !starts_alone(task); });
  growth_ = is_smaller ? Growth::waiting : Growth::none;
  growth_deadline_ = is_smaller ? std::optional(now_ + plan_.grow_every) : std::nullopt;
}

void Machine::growth_deadline_passed() {
  if (growth_ == Growth::ready)
    return give_up_growth(
        fmt::format("no checkpoint was saved for {} (grow_every)", core::format_duration(plan_.grow_every)));
  if (growth_ != Growth::waiting) return;
  growth_ = Growth::due;
  ask_for_more();
}

// Only the first task of a role writes checkpoints for all; files that others save do not count.
void Machine::saved_while_running(const Task& task) {
  if (!is_elastic_ || !task.is_first || state_ != JobState::running || outcome_) return;
  has_saved_ = true;
  if (growth_ == Growth::due) return ask_for_more();
  if (growth_ != Growth::ready || settling_) return;
  restart_all(fmt::format("{} can join, and a checkpoint was saved", core::plural(spare_tasks(), "more task")),
              Millis(0));
}

// Containers that wait for a save are idle. So the job requests them only after its tasks have saved once.
void Machine::ask_for_more() {
  if (growth_ != Growth::due || !has_saved_ || state_ != JobState::running || outcome_ || warnings_ > 0) return;
  growth_ = Growth::asking;
  int asked = 0;
  for (auto& task : tasks_) {
    if (task.state != TaskState::absent || starts_alone(task)) continue;
    ++task.attempt;
    ask(task);
    ++asked;
  }
  record(RecordKind::note, fmt::format("requesting {}", core::plural(asked, "more container")));
}

void Machine::spare_task_placed(Task& task) {
  if (state_ == JobState::restarting) return;  // it joins at the start that follows
  if (!starts_alone(task)) return check_asking();
  join(task);
  launch(task);
}

void Machine::spare_task_lost(Task& task, std::string why) {
  give_back(task, std::move(why));
  check_asking();
}

void Machine::check_asking() {
  if (growth_ != Growth::asking && growth_ != Growth::ready) return;
  const bool waits_for_more =
      std::ranges::any_of(tasks_, [this](const Task& task) { return task.is_requested && !starts_alone(task); });
  const int spare = spare_tasks();
  if (spare == 0) no_more_deadline_.reset();
  if (spare == 0 && !waits_for_more) return begin_waiting_to_grow();
  if (growth_ == Growth::ready || spare == 0) return;
  if (!waits_for_more) return await_save();
  no_more_deadline_ = now_ + kNoMore;
}

void Machine::await_save() {
  no_more_deadline_.reset();
  for (auto& task : tasks_) {
    if (task.is_requested && !starts_alone(task)) give_back(task, "no further container was allocated for 10 s");
  }
  growth_ = Growth::ready;
  growth_deadline_ = now_ + plan_.grow_every;
  record(RecordKind::note, fmt::format("{} can join: all tasks restart when the next checkpoint is saved",
                                       core::plural(spare_tasks(), "more task")));
}

void Machine::give_up_growth(std::string_view why) {
  if (growth_ != Growth::asking && growth_ != Growth::ready) return;
  record(RecordKind::note, fmt::format("the job does not grow for now: {}", why));
  no_more_deadline_.reset();
  for (auto& task : tasks_) {
    if (!starts_alone(task) && (task.is_requested || is_spare(task))) give_back(task, std::string(why));
  }
  begin_waiting_to_grow();
}

// All tasks restart. Spare tasks keep their containers and join; open requests are taken back.
void Machine::keep_placed_spares() {
  if (!is_elastic_) return;
  for (auto& task : tasks_) {
    if (task.is_requested && !starts_alone(task)) give_back(task, "all tasks restart");
  }
  growth_ = Growth::none;
  growth_deadline_.reset();
  no_more_deadline_.reset();
  has_saved_ = false;
}

// Spare tasks are prepared again in their containers, because the checkpoint that they continue from is newer than they
// are.
void Machine::take_spares_in() {
  if (!is_elastic_) return;
  for (auto& task : tasks_) {
    if (!is_spare(task)) continue;
    join(task);
    task.held = task.attempt;
    set_state(task, TaskState::stopped);
  }
}

// The job ends: release the containers of absent tasks.
void Machine::end_growth() {
  if (!is_elastic_) return;
  keep_placed_spares();
  for (auto& task : tasks_) {
    if (task.is_requested || is_spare(task)) give_back(task, "the job ends");
  }
}

}  // namespace ydl::job
