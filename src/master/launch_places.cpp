#include "master/launch_places.hpp"

namespace ydl::master {

LaunchPlaces::Changes LaunchPlaces::decided(const job::Snapshot& now) {
  Changes changes{now.tasks.size(), {}};
  decided_.resize(now.tasks.size());
  for (std::size_t i = 0; i < now.tasks.size(); ++i) {
    const auto& task = now.tasks[i];
    auto& before = decided_[i];
    if (task.attempt == before.attempt && task.id == before.id && task.place == before.place &&
        task.is_member == before.is_member)
      continue;
    before = {task.id, task.attempt, task.place, task.is_member};
    changes.places.emplace_back(i, before);
  }
  return changes;
}

void LaunchPlaces::carry_out(Changes changes) {
  if (changes.tasks == 0) return;
  done_.resize(changes.tasks);
  for (auto& [index, task] : changes.places) done_[index] = std::move(task);
}

}  // namespace ydl::master
