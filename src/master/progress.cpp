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

std::set<std::string> deciding_roles(const job::Plan& plan) {
  std::set<std::string> deciding;
  for (const auto& role : plan.roles) {
    if (role.kind == job::RoleKind::decider) deciding.insert(role.name);
  }
  return deciding;
}

}  // namespace

double job_progress(const job::Plan& plan, const job::Snapshot& snapshot, const TaskOutputs& outputs) {
  const auto deciding = deciding_roles(plan);
  double sum = 0;
  int count = 0;
  for (const auto& task : snapshot.tasks) {
    if (!task.is_member || !deciding.contains(task.id.role)) continue;
    sum += task_progress(task, outputs);
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

JobEstimate estimate_job(const job::Plan& plan, const job::Snapshot& snapshot, const TaskOutputs& outputs,
                         const TaskMeters& meters, core::Instant now) {
  const auto deciding = deciding_roles(plan);
  JobEstimate estimate;
  bool all_run = true;
  for (const auto& task : snapshot.tasks) {
    if (!task.is_member || !deciding.contains(task.id.role) || is_final(task.state)) continue;
    if (task.state != job::TaskState::running) {
      all_run = false;
      continue;
    }
    const auto output = outputs.find(task.id);
    if (output == outputs.end() || output->second.attempt.attempt != task.attempt || !output->second.progress) continue;
    estimate.progress = std::min(estimate.progress.value_or(1), task_progress(task, outputs));
    const auto meter = meters.find(task.id);
    const auto left = meter == meters.end() ? std::nullopt : meter->second.left(task.attempt, now);
    if (left) estimate.left = std::max(estimate.left.value_or(core::Millis(0)), *left);
  }
  if (!all_run) estimate.left.reset();
  return estimate;
}

}  // namespace ydl::master
