// Messages between master and agent: the decoder returns for any bytes, and what it accepts survives encoding and
// decoding.
#include "core/assert.hpp"
#include "core/json.hpp"
#include "protocol/command_list.hpp"
#include "protocol/commands.hpp"
#include "protocol/hello.hpp"
#include "protocol/report_list.hpp"
#include "protocol/reports.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
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
  const auto text = json::serialize(protocol::to_json(*message));
  const auto object = core::parse_json_object(text);
  YDL_ASSERT(object.has_value());
  const auto again = decode(*object);
  YDL_ASSERT(again.has_value());
  YDL_ASSERT(json::serialize(protocol::to_json(*again)) == text);
}

// A decoded list is equal after it was encoded and decoded again, whatever its launches share.
void check_list(std::string_view text) {
  protocol::Outbox<protocol::Command> outbox;
  std::shared_ptr<const std::string> gang;  // shared by all launches of a list
  const auto any = [](protocol::Epoch) { return true; };
  const auto keep = [&](protocol::Sequence, core::Result<protocol::Command> command) {
    if (!command) return;
    auto* launch = std::get_if<protocol::Launch>(&*command);
    if (launch != nullptr && launch->gang != nullptr) {
      if (gang == nullptr) gang = protocol::encode_gang(*launch->gang);
      launch->gang_text = gang;
    }
    outbox.push(*std::move(command));
  };
  if (!protocol::read_commands(text, {any, keep})) return;
  std::size_t next = 0;
  const auto compare = [&](protocol::Sequence, const core::Result<protocol::Command>& command) {
    YDL_ASSERT(command.has_value());
    YDL_ASSERT(json::serialize(protocol::to_json(*command)) ==
               json::serialize(protocol::to_json(outbox.items().at(next++))));
  };
  const auto list = protocol::encode_commands({}, outbox);
  const auto again = protocol::read_commands(list.commands + (list.gang == nullptr ? "" : *list.gang), {any, compare});
  YDL_ASSERT(again.has_value() && next == outbox.items().size());
}

void check_reports(std::string_view text) {
  protocol::Outbox<protocol::Report> outbox;
  const auto keep = [&](protocol::Sequence, const core::Result<protocol::Report>& report) {
    if (report) outbox.push(*report);
  };
  if (!protocol::read_reports(text, {}, keep)) return;
  std::size_t next = 0;
  const auto compare = [&](protocol::Sequence, const core::Result<protocol::Report>& report) {
    YDL_ASSERT(report.has_value());
    YDL_ASSERT(json::serialize(protocol::to_json(*report)) ==
               json::serialize(protocol::to_json(outbox.items().at(next++))));
  };
  const auto list = protocol::encode_reports({}, outbox, std::size_t{1} << 30U);
  const auto again = protocol::read_reports(list.body, {}, compare);
  YDL_ASSERT(again.has_value() && next == outbox.items().size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_list(text);
  check_reports(text);
  const auto object = core::parse_json_object(text);
  if (!object) return 0;
  check_round_trip(protocol::command_from_json(*object), protocol::command_from_json);
  check_round_trip(protocol::report_from_json(*object), protocol::report_from_json);
  check_round_trip(protocol::hello_from_json(*object), protocol::hello_from_json);
  check_round_trip(protocol::welcome_from_json(*object), protocol::welcome_from_json);
  return 0;
}
