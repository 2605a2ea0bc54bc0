#pragma once

#include "core/ids.hpp"
#include "job/types.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace ydl::master {

// Where the tasks of a job had their places when the state machine wanted one of them to be launched. The machine may
// be far ahead of what is carried out, so each decision to launch keeps what it saw: as the difference to the decision
// before it, because thousands of them may wait for HDFS. Pure.
class LaunchPlaces {
 public:
  struct Task {
    core::TaskId id;
    int attempt = 1;
    std::optional<job::Place> place;
    bool is_member = true;  // not: the job went on without it
  };
  struct Changes {
    std::size_t tasks = 0;                             // that the job has; 0: nothing was launched
    std::vector<std::pair<std::size_t, Task>> places;  // of the tasks that differ, by their number in the job
  };

  // The machine wants to launch.
  [[nodiscard]] Changes decided(const job::Snapshot& now);
  // That launch is carried out now. In the order of the decisions.
  void carry_out(Changes changes);
  // Of the launch that was carried out last; empty before the first.
  [[nodiscard]] const std::vector<Task>& tasks() const { return done_; }

 private:
  std::vector<Task> decided_;
  std::vector<Task> done_;
};

}  // namespace ydl::master
