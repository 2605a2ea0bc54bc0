#pragma once

#include "core/ids.hpp"
#include "job/types.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace ydl::master {

// The hosts and ports of all tasks at the time when the state machine decided to launch a task. The machine may be far
// ahead of the decisions that are carried out, so each decision to launch stores them. Only the difference to the
// decision before is stored, because thousands of decisions may wait for HDFS. Pure.
class LaunchPlaces {
 public:
  struct Task {
    core::TaskId id;
    int attempt = 1;
    std::optional<job::Place> place;
    bool is_member = true;  // false: the job ran without it
  };
  struct Changes {
    std::size_t tasks = 0;                             // the number of tasks of the job; 0: no task is launched
    std::vector<std::pair<std::size_t, Task>> places;  // only tasks that differ, with their positions in the job
  };

  // The machine has decided to launch tasks.
  [[nodiscard]] Changes decided(const job::Snapshot& now);
  // A launch is carried out now, in the order of the decisions.
  void carry_out(Changes changes);
  // The tasks at the last launch that was carried out; empty before the first one.
  [[nodiscard]] const std::vector<Task>& tasks() const { return done_; }

 private:
  std::vector<Task> decided_;
  std::vector<Task> done_;
};

}  // namespace ydl::master
