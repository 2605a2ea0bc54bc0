// What master and agent say to each other: whatever the bytes, the decoder answers; what it accepts survives the wire.
#include "agent/protocol.hpp"
#include "core/assert.hpp"
#include "core/json.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <boost/json.hpp>

namespace {

using namespace ydl;
namespace json = boost::json;

template <class Message, class Decode>
void check_round_trip(const core::Result<Message>& message, Decode decode) {
  if (!message) {
    YDL_ASSERT(!message.error().message.empty());
    return;
  }
  const auto text = json::serialize(agent::to_json(*message));
  const auto object = core::parse_json_object(text);
  YDL_ASSERT(object.has_value());
  const auto again = decode(*object);
  YDL_ASSERT(again.has_value());
  YDL_ASSERT(json::serialize(agent::to_json(*again)) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto object = core::parse_json_object({reinterpret_cast<const char*>(data), size});
  if (!object) return 0;
  check_round_trip(agent::command_from_json(*object), agent::command_from_json);
  check_round_trip(agent::report_from_json(*object), agent::report_from_json);
  check_round_trip(agent::hello_from_json(*object), agent::hello_from_json);
  return 0;
}
