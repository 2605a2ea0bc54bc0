#include "job/event_codec.hpp"

#include "core/described_variant.hpp"

#include <fmt/format.h>

namespace ydl::job {

BOOST_DESCRIBE_STRUCT(Place, (), (host, node, ports, container))
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
BOOST_DESCRIBE_STRUCT(HostFailed, (), (attempt, node, cause, reason))
BOOST_DESCRIBE_STRUCT(NoHostLeft, (), (role))
BOOST_DESCRIBE_STRUCT(Saved, (), (attempt))
BOOST_DESCRIBE_STRUCT(FellSilent, (), (attempt))
BOOST_DESCRIBE_STRUCT(WritesAgain, (), (attempt))
BOOST_DESCRIBE_STRUCT(Warned, (), (attempt, cause, within))
BOOST_DESCRIBE_STRUCT(WarningOver, (), (attempt))
BOOST_DESCRIBE_STRUCT(Broken, (), (reason))
BOOST_DESCRIBE_STRUCT(RendezvousFailed, (), (attempt, reason))
BOOST_DESCRIBE_STRUCT(StopRequested, (), (by, grace))
BOOST_DESCRIBE_STRUCT(Noted, (), (kind, attempt, text, time))
BOOST_DESCRIBE_STRUCT(TookOver, (), (host))
BOOST_DESCRIBE_STRUCT(Delayed, (), ())
BOOST_DESCRIBE_STRUCT(Tick, (), ())

namespace {

namespace json = boost::json;

constexpr core::AlternativeNames<Event> kNames{
    "begin",        "granted",      "reached", "placed",       "not_placed_yet", "cannot_place",      "started",
    "start_failed", "saving",       "exited",  "lost",         "host_failed",    "no_host_left",      "saved",
    "fell_silent",  "writes_again", "warned",  "warning_over", "broken",         "rendezvous_failed", "stop_requested",
    "noted",        "took_over",    "delayed", "tick"};

}  // namespace

std::string encode_event(const TimedEvent& event) {
  json::object object{{"v", kEventVersion}, {"at", event.at.count()}};
  core::add_alternative(object, "event", kNames, event.event);
  return json::serialize(object);
}

core::Result<TimedEvent> decode_event(std::string_view line) {
  const auto object = core::parse_json_object(line);
  if (!object) return core::fail(object.error());
  const auto version = core::json_int(*object, "v");
  if (!version) return core::fail(version.error());
  if (*version != kEventVersion) {
    return core::fail(core::Errc::refused,
                      fmt::format("the event has version {}, and this ydl reads version {}", *version, kEventVersion));
  }
  const auto at = core::json_int(*object, "at");
  if (!at) return core::fail(at.error());
  auto event = core::read_alternative<Event>("event", kNames, *object);
  if (!event) return core::fail(event.error());
  return TimedEvent{Millis(*at), *std::move(event)};
}

}  // namespace ydl::job
