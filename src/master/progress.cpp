#include "master/progress.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace ydl::master {
namespace {

double task_progress(const job::TaskSnapshot& task, const TaskOutputs& outputs) {
  if (task.state == job::TaskState::succeeded) return 1;
  const auto output = outputs.find(task.id);
  if (output == outputs.end() || output->second.attempt.attempt != task.attempt) return 0;
  return std::clamp(output->second.progress.value_or(0), 0.0, 1.0);
}

}  // namespace

double job_progress(const job::Plan& plan, const job::Snapshot& snapshot, const TaskOutputs& outputs) {
  std::set<std::string> deciding;
  for (const auto& role : plan.roles) {
    if (role.kind == job::RoleKind::decider) deciding.insert(role.name);
  }
  double sum = 0;
  int count = 0;
  for (const auto& task : snapshot.tasks) {
    if (!task.is_member || !deciding.contains(task.id.role)) continue;
    sum += task_progress(task, outputs);
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

}  // namespace ydl::master
