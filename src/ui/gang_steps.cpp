#include "ui/gang_steps.hpp"

#include "core/strings.hpp"
#include "ui/words.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::ui {
namespace {

std::vector<std::string> one(std::string sentence) {
  std::vector<std::string> sentences;
  if (!sentence.empty()) sentences.push_back(std::move(sentence));
  return sentences;
}

}  // namespace

void GangSteps::update(const JobView& job) {
  if (!std::exchange(is_known_, true)) since_ = job.submitted;
  is_on_this_machine_ = job.where == kThisMachine;
  tasks_.clear();
  for (const auto& task : job.tasks) {
    if (task.state != core::TaskState::absent) tasks_.push_back(task.id);
  }
}

std::optional<std::vector<std::string>> GangSteps::take(const EventView& event) {
  using enum core::RecordKind;
  if (!event.kind.value()) return std::nullopt;
  switch (*event.kind.value()) {
    case job_placing:
      return is_on_this_machine_ ? std::optional(one({})) : std::nullopt;
    case task_waiting:  // many tasks wait for the same thing
      return waits_.insert(event.text).second ? std::nullopt : std::optional(one({}));
    case task_starting:
      return one({});
    case task_placed:
      if (is_starting_ && event.task) {
        placed_[*event.task] = event.node;
        last_placed_ = event.time;
      }
      return one({});
    case task_running:
      return is_starting_ ? std::optional(one({})) : std::nullopt;
    case job_running:
      return started(event);
    case job_restarting:
      start_again(event);
      return std::nullopt;
    case job_finishing:
      return ended_.size() >= tasks_.size() ? std::optional(one({})) : std::nullopt;
    case task_stopping:
      return one({});
    case task_succeeded:
    case task_stopped:
      if (event.task) ended_[*event.task] = *core::task_state_of(*event.kind.value());
      return one({});
    case task_failed:
    case task_lost:
      if (event.task) ended_[*event.task] = *core::task_state_of(*event.kind.value());
      return std::nullopt;
    case task_retry:
      if (event.task) ended_.erase(*event.task);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

void GangSteps::start_again(const EventView& event) {
  is_starting_ = true;
  since_ = event.time;
  placed_.clear();
  ended_.clear();
  last_placed_.reset();
  told_placed_ = told_ended_ = 0;
}

std::vector<std::string> GangSteps::started(const EventView& event) {
  if (!std::exchange(is_starting_, false)) return {};
  told_placed_ = placed_.size();
  const auto after = core::format_duration(event.time - since_);
  if (!last_placed_) return one(fmt::format("started after {}", after));
  return one(fmt::format("{}, started after {}", placed_text(), after));
}

// "all 12 tasks placed (1 host) after 4 ms", "worker:0 placed on node3 after 2.1 s".
std::string GangSteps::placed_text() const {
  const auto after = core::format_duration(*last_placed_ - since_);
  if (tasks_.size() == 1 && placed_.size() == 1) {
    const auto& [task, node] = *placed_.begin();
    return fmt::format("{} placed{}{} after {}", task.str(), node.empty() ? "" : " on ", node, after);
  }
  std::set<std::string> nodes;
  for (const auto& [task, node] : placed_) nodes.insert(node);
  const auto total = static_cast<std::int64_t>(std::max(tasks_.size(), placed_.size()));
  const auto count = placed_.size() >= tasks_.size()
                         ? fmt::format("all {}", core::plural(total, "task"))
                         : fmt::format("{} of {}", placed_.size(), core::plural(total, "task"));
  return fmt::format("{} placed ({}) after {}", count, core::plural(static_cast<std::int64_t>(nodes.size()), "host"),
                     after);
}

// "2 of 2 workers succeeded, 2 of 2 servers stopped", the roles in the order of the job.
std::string GangSteps::ended_text() const {
  std::vector<std::string> roles;
  for (const auto& task : tasks_) {
    if (std::ranges::find(roles, task.role) == roles.end()) roles.push_back(task.role);
  }
  std::vector<std::string> parts;
  for (const auto& role : roles) {
    const auto total = std::ranges::count(tasks_, role, &core::TaskId::role);
    for (const auto state :
         {core::TaskState::succeeded, core::TaskState::failed, core::TaskState::lost, core::TaskState::stopped}) {
      const auto count = std::ranges::count_if(
          ended_, [&](const auto& entry) { return entry.first.role == role && entry.second == state; });
      if (count > 0) parts.push_back(fmt::format("{} of {} {}", count, count_of(role, total), core::name(state)));
    }
  }
  return core::join(parts, ", ");
}

std::vector<std::string> GangSteps::due(core::WallTime now) {
  if (!told_at_) told_at_ = now;
  if (now - *told_at_ < kPatience) return {};
  std::vector<std::string> sentences;
  if (is_starting_ && placed_.size() > told_placed_) {
    told_placed_ = placed_.size();
    sentences.push_back(placed_text());
  }
  if (ended_.size() > told_ended_) {
    told_ended_ = ended_.size();
    sentences.push_back(ended_text());
  }
  if (!sentences.empty()) told_at_ = now;
  return sentences;
}

std::vector<std::string> GangSteps::rest() {
  std::vector<std::string> sentences;
  if (is_starting_ && placed_.size() > told_placed_) sentences.push_back(placed_text());
  told_placed_ = placed_.size();
  if (tasks_.size() > 1 && ended_.size() > told_ended_) sentences.push_back(ended_text());
  told_ended_ = ended_.size();
  return sentences;
}

}  // namespace ydl::ui
