#include "master/continued.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::master {

std::vector<core::TaskId> tasks_to_continue(const JobPlan& plan, const core::TaskId& task) {
  const auto& roles = plan.job.roles;
  const auto decides = [](const job::RolePlan& role) { return role.kind == core::RoleKind::decider && role.count > 0; };
  auto first =
      std::ranges::find_if(roles, [&](const job::RolePlan& role) { return decides(role) && role.name == "chief"; });
  if (first == roles.end()) first = std::ranges::find_if(roles, decides);
  std::vector<core::TaskId> tasks{task};
  if (first == roles.end()) return tasks;
  core::TaskId writer{first->name, 0};
  if (writer != task) tasks.push_back(std::move(writer));
  return tasks;
}

std::vector<core::TaskId> tasks_to_continue(const JobPlan& plan, const core::TaskId& task,
                                            const job::Snapshot& snapshot) {
  auto tasks = tasks_to_continue(plan, task);
  const job::TaskSnapshot* newest = nullptr;
  for (const auto& other : snapshot.tasks) {
    if (other.id.role != task.role || !other.saved_as_first) continue;
    if (newest == nullptr || *other.saved_as_first > *newest->saved_as_first) newest = &other;
  }
  if (newest == nullptr) return tasks;
  std::erase(tasks, newest->id);
  tasks.insert(tasks.begin(), newest->id);
  return tasks;
}

std::vector<protocol::Restorable> folders_of(const jobs::RestoreFolders& job, const std::vector<core::TaskId>& tasks) {
  std::vector<protocol::Restorable> folders;
  for (const auto& task : tasks) {
    const auto below = [&](const std::string& folder) {
      return folder.empty() ? folder : fmt::format("{}/{}", folder, task.file_name());
    };
    folders.push_back({below(job.saves), below(job.results)});
  }
  return folders;
}

}  // namespace ydl::master
