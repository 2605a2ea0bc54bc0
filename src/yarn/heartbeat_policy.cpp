#include "yarn/heartbeat_policy.hpp"

namespace ydl::yarn {

core::Millis heartbeat_interval(const HeartbeatOptions& options, const HeartbeatNeeds& needs, core::Instant now) {
  if (needs.has_news) return options.at_least;
  if (!needs.waiting_since) return options.idle;
  return now - *needs.waiting_since < options.patience ? options.eager : options.patient;
}

}  // namespace ydl::yarn
