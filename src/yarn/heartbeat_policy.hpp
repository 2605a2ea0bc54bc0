#pragma once

#include "core/clock.hpp"

#include <optional>

namespace ydl::yarn {

// How often a master sends heartbeats to the ResourceManager. Grants are only delivered in answers to heartbeats. So
// heartbeats are frequent while grants are expected, and later less frequent, so that a job that waits for hours is not
// a burden.
struct HeartbeatOptions {
  core::Millis eager{100};                 // while containers are requested
  core::Millis patient{1'000};             // when none was granted during `patience`
  core::Millis patience{10'000};           // time since the last grant until the interval becomes `patient`
  core::Millis idle{1'000};                // when nothing is requested; also the delay of preemption warnings
  core::Millis at_least{20};               // minimum time between two heartbeats
  core::Millis registration_pause{1'000};  // after a failed registration
};

// The state on which the interval depends.
struct HeartbeatNeeds {
  bool has_news = false;  // there are changes that must be sent soon
  // set if containers are requested: the time of the last grant or of the request
  std::optional<core::Instant> waiting_since = std::nullopt;
};

// The time between the last heartbeat and the next one.
[[nodiscard]] core::Millis heartbeat_interval(const HeartbeatOptions& options, const HeartbeatNeeds& needs,
                                              core::Instant now);

}  // namespace ydl::yarn
