#pragma once

#include "core/clock.hpp"

#include <optional>

namespace ydl::yarn {

// How often a master speaks to the ResourceManager. Grants are fetched, not sent: while some are expected it asks
// often, then less often, so that a job that waits for hours is no burden.
struct HeartbeatOptions {
  core::Millis eager{100};                 // while containers are asked for
  core::Millis patient{1'000};             // when none has come for a while
  core::Millis patience{10'000};           // that while
  core::Millis idle{1'000};                // nothing is asked for: a warning waits there for the next one
  core::Millis at_least{20};               // between two of them, whatever happens
  core::Millis registration_pause{1'000};  // after a registration that failed
};

// What the interval depends on.
struct HeartbeatNeeds {
  bool has_news = false;                                      // something to tell that should not wait
  std::optional<core::Instant> waiting_since = std::nullopt;  // containers are asked for: the last grant, or the ask
};

// From the last heartbeat to the next.
[[nodiscard]] core::Millis heartbeat_interval(const HeartbeatOptions& options, const HeartbeatNeeds& needs,
                                              core::Instant now);

}  // namespace ydl::yarn
