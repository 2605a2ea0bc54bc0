#pragma once

#include "core/clock.hpp"
#include "ui/model.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ydl::ui {

// The steps that all tasks of a job take together, as one sentence each: that they were placed, that they started, how
// they ended. A task that goes its own way, because it failed or starts again alone, is not told of here. Pure; for one
// job, from its first event on.
class GangSteps {
 public:
  // The tasks that the job has now.
  void update(const JobView& job);

  // The sentences that replace the event. Nothing: the event is not such a step and stands for itself.
  [[nodiscard]] std::optional<std::vector<std::string>> take(const EventView& event);

  // Counts that have changed, where the rest keeps people waiting.
  [[nodiscard]] std::vector<std::string> due(core::WallTime now);
  // What was not told yet, at the end.
  [[nodiscard]] std::vector<std::string> rest();

 private:
  static constexpr core::Seconds kPatience{10};

  void start_again(const EventView& event);
  [[nodiscard]] std::vector<std::string> started(const EventView& event);
  [[nodiscard]] std::string placed_text() const;
  [[nodiscard]] std::string ended_text() const;

  bool is_known_ = false;  // update() was called
  bool is_on_this_machine_ = false;
  std::vector<core::TaskId> tasks_;  // without those that an elastic role goes on without
  core::WallTime since_;             // of this start of all tasks

  bool is_starting_ = true;      // not all tasks of this start run yet
  std::set<std::string> waits_;  // the reasons that were told
  std::map<core::TaskId, std::string> placed_;
  std::optional<core::WallTime> last_placed_;

  std::map<core::TaskId, core::TaskState> ended_;
  std::size_t told_placed_ = 0;
  std::size_t told_ended_ = 0;
  std::optional<core::WallTime> told_at_;
};

}  // namespace ydl::ui
