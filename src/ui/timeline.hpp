#pragma once

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "ui/line.hpp"
#include "ui/model.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ydl::ui {

// When one attempt came to each of its phases; a phase it never came to, or that we were not told of, has no time.
struct AttemptTimes {
  core::AttemptId attempt;
  core::WallTime asked;  // placing begins
  std::optional<core::WallTime>
      granted;  // on a cluster: its container is there, and files and agent on their way to it
  std::optional<core::WallTime> reached;  // the agent is there, and prepares
  std::optional<core::WallTime> placed;   // waiting for its peers to be placed begins
  std::optional<core::WallTime> starting;
  std::optional<core::WallTime> running;
  std::optional<core::WallTime> ended;
  std::optional<core::TaskState> end;  // nothing while it goes on
};

// From the events of one job, in their order; rows in the order in which tasks first appear.
[[nodiscard]] std::vector<AttemptTimes> attempt_times(std::span<const EventView> events);

// On a cluster, when the job's master was there and asked for containers. Then a row per attempt: how long it was
// placed, waited for its peers, started and ran, and bars on one scale. `now` ends what still goes on. A `width` of 0
// is 80 columns.
[[nodiscard]] std::string render_timeline(std::span<const EventView> events, core::WallTime now, int width,
                                          const Style& style);

}  // namespace ydl::ui
