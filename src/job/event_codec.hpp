#pragma once

#include "core/result.hpp"
#include "job/types.hpp"

#include <string>
#include <string_view>

namespace ydl::job {

// What the state machine was told, and when: all that is needed to bring another Machine to the same state.
struct TimedEvent {
  Millis at{0};  // since the machine was told Begin
  Event event;
};

// Rises when an event changes its meaning. Events that are added, and optional fields, do not need that.
inline constexpr int kEventVersion = 2;

// One JSON object on one line, without the end of the line:
//   {"v":2,"at":1250,"event":"placed","attempt":{"task":"worker:0","number":1},"place":{…}}
[[nodiscard]] std::string encode_event(const TimedEvent& event);

// Errors: corrupt, with what is missing or wrong; refused: another version wrote it.
[[nodiscard]] core::Result<TimedEvent> decode_event(std::string_view line);

}  // namespace ydl::job
