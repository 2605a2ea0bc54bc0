// Events in the journal of a master: the decoder returns for any bytes, and what it accepts survives encoding and
// decoding.
#include "core/assert.hpp"
#include "job/event_codec.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ydl;
  const auto event = job::decode_event({reinterpret_cast<const char*>(data), size});
  if (!event) {
    YDL_ASSERT(!event.error().message.empty());
    return 0;
  }
  const auto line = job::encode_event(*event);
  const auto again = job::decode_event(line);
  YDL_ASSERT(again.has_value());
  YDL_ASSERT(job::encode_event(*again) == line);
  return 0;
}
