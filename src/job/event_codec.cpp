#include "job/event_codec.hpp"

#include "core/described_json.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ydl::core {

template <>
struct JsonValue<AttemptId> {
  static boost::json::value write(const AttemptId& id) {
    return boost::json::object{{"task", id.task.str()}, {"number", id.attempt}};
  }
  static Result<AttemptId> read(const boost::json::value& value) {
    if (!value.is_object()) return fail(Errc::corrupt, "must be an object");
    AttemptId id;
    if (auto task = detail::read_member(value.get_object(), "task", id.task); !task) return fail(task.error());
    if (auto number = detail::read_member(value.get_object(), "number", id.attempt); !number)
      return fail(number.error());
    return id;
  }
};

}  // namespace ydl::core

namespace ydl::job {

BOOST_DESCRIBE_STRUCT(Place, (), (host, node, ports))
BOOST_DESCRIBE_STRUCT(ExitStatus, (), (code, signal, out_of_memory, peak_memory, memory_limit, killer, cause))
BOOST_DESCRIBE_STRUCT(Begin, (), ())
BOOST_DESCRIBE_STRUCT(Placed, (), (attempt, place))
BOOST_DESCRIBE_STRUCT(Granted, (), (attempt, node))
BOOST_DESCRIBE_STRUCT(Reached, (), (attempt))
BOOST_DESCRIBE_STRUCT(NotPlacedYet, (), (attempt, reason))
BOOST_DESCRIBE_STRUCT(CannotPlace, (), (attempt, reason, cause))
BOOST_DESCRIBE_STRUCT(Started, (), (attempt, pid))
BOOST_DESCRIBE_STRUCT(StartFailed, (), (attempt, cause, reason))
BOOST_DESCRIBE_STRUCT(Saving, (), (attempt))
BOOST_DESCRIBE_STRUCT(Exited, (), (attempt, status))
BOOST_DESCRIBE_STRUCT(Lost, (), (attempt, reason, cause))
BOOST_DESCRIBE_STRUCT(Broken, (), (reason))
BOOST_DESCRIBE_STRUCT(StopRequested, (), (by, grace))
BOOST_DESCRIBE_STRUCT(Tick, (), ())

namespace {

namespace json = boost::json;

// In the order of the alternatives of Event.
constexpr std::array<std::string_view, std::variant_size_v<Event>> kNames{
    "begin",        "granted", "reached", "placed", "not_placed_yet", "cannot_place",   "started",
    "start_failed", "saving",  "exited",  "lost",   "broken",         "stop_requested", "tick"};

template <std::size_t I = 0>
core::Result<Event> read_alternative(std::size_t index, const json::object& object) {
  if constexpr (I < std::variant_size_v<Event>) {
    if (I != index) return read_alternative<I + 1>(index, object);
    auto event = core::from_json<std::variant_alternative_t<I, Event>>(object);
    if (!event) return core::fail(event.error());
    return Event(*std::move(event));
  }
  return core::fail(core::Errc::corrupt, "not an event");
}

}  // namespace

std::string encode_event(const TimedEvent& event) {
  json::object object{{"v", kEventVersion}, {"at", event.at.count()}, {"event", kNames.at(event.event.index())}};
  const auto fields = std::visit([](const auto& one) { return core::to_json(one); }, event.event);
  for (const auto& field : fields) object.insert(field);
  return json::serialize(object);
}

core::Result<TimedEvent> decode_event(std::string_view line) {
  const auto object = core::parse_json_object(line);
  if (!object) return core::fail(object.error());
  const auto version = core::json_int(*object, "v");
  if (!version) return core::fail(version.error());
  if (*version != kEventVersion) {
    return core::fail(core::Errc::refused,
                      fmt::format("events of version {} were written by another ydl; this one reads version {}",
                                  *version, kEventVersion));
  }
  const auto at = core::json_int(*object, "at");
  if (!at) return core::fail(at.error());
  const auto name = core::json_string(*object, "event");
  if (!name) return core::fail(name.error());
  const auto* const found = std::ranges::find(kNames, *name);
  if (found == kNames.end()) return core::fail(core::Errc::corrupt, fmt::format("unknown event '{}'", *name));
  auto event = read_alternative(static_cast<std::size_t>(found - kNames.begin()), *object);
  if (!event) return core::fail(event.error().within(fmt::format("event {}", *name)));
  return TimedEvent{Millis(*at), *std::move(event)};
}

}  // namespace ydl::job
