#pragma once

#include "core/result.hpp"
#include "job/types.hpp"

#include <string>
#include <string_view>

namespace ydl::job {

// An event and when the state machine handled it. Replaying these in order puts another Machine into the same state.
struct TimedEvent {
  Millis at{0};  // since the job began
  Event event;
};

// Incremented when an event changes its meaning. New events and optional fields do not require a new version.
inline constexpr int kEventVersion = 2;

// One JSON object on one line, without the end of the line:
//   {"v":2,"at":1250,"event":"started","attempt":{"task":"worker:0","number":1},"pid":4711}
[[nodiscard]] std::string encode_event(const TimedEvent& event);

// Errors: corrupt, naming what is missing or wrong; refused if another version wrote the event.
[[nodiscard]] core::Result<TimedEvent> decode_event(std::string_view line);

}  // namespace ydl::job
