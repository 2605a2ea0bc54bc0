#include "spec/write.hpp"

#include "spec/job_fields.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace ydl::spec {
namespace {

namespace json = boost::json;

json::object to_object(const JobSpec& job) {
  json::object object{{"version", job.version}};
  for (const auto& field : job_fields()) field.write(job, object);
  return object;
}

// Objects have one line per key; all other values are on one line.
std::string indented(const json::value& value, std::size_t depth) {
  const auto* object = value.if_object();
  if (object == nullptr || object->empty()) return json::serialize(value);
  std::string text = "{";
  for (const auto& [key, member] : *object) {
    if (text.size() > 1) text += ',';
    text += fmt::format("\n{:{}}{}: {}", "", 2 * (depth + 1), json::serialize(key), indented(member, depth + 1));
  }
  return text + fmt::format("\n{:{}}}}", "", 2 * depth);
}

}  // namespace

std::string exact_bytes(std::uint64_t bytes) {
  struct Unit {
    unsigned shift;
    char name;
  };
  constexpr std::array kUnits{Unit{30, 'g'}, Unit{20, 'm'}, Unit{10, 'k'}, Unit{0, 'b'}};
  const auto* unit = std::ranges::find_if(kUnits, [&](const Unit& u) { return bytes >> u.shift << u.shift == bytes; });
  return fmt::format("{}{}", bytes >> unit->shift, unit->name);
}

std::string exact_duration(core::Millis duration) {
  struct Unit {
    std::int64_t millis;
    std::string_view name;
  };
  constexpr std::array kUnits{Unit{3'600'000, "h"}, Unit{60'000, "m"}, Unit{1'000, "s"}, Unit{1, "ms"}};
  if (duration.count() == 0) return "0s";
  const auto* unit = std::ranges::find_if(kUnits, [&](const Unit& u) { return duration.count() % u.millis == 0; });
  return fmt::format("{}{}", duration.count() / unit->millis, unit->name);
}

std::string to_json(const JobSpec& job) {
  return indented(to_object(job), 0) + "\n";
}

}  // namespace ydl::spec
