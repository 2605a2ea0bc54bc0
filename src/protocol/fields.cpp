#include "protocol/fields.hpp"

#include "core/json.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::protocol {

namespace json = boost::json;
using core::Errc;
using core::fail;
using core::json_array;
using core::json_int;
using core::json_string;
using core::Result;

json::object begin(std::string_view type, const core::AttemptId& attempt) {
  return {{"type", type}, {"task", attempt.task.str()}, {"attempt", attempt.attempt}};
}

Result<int> small_int(const json::object& o, std::string_view key, std::int64_t limit) {
  const auto value = json_int(o, key);
  if (!value) return fail(value.error());
  if (*value < 0 || *value > limit) return fail(Errc::corrupt, fmt::format("'{}' is out of range: {}", key, *value));
  return static_cast<int>(*value);
}

Result<core::AttemptId> attempt_of(const json::object& o) {
  const auto task = json_string(o, "task");
  if (!task) return fail(task.error());
  auto id = core::TaskId::parse(*task);
  if (!id) return fail(id.error());
  const auto attempt = small_int(o, "attempt");
  if (!attempt) return fail(attempt.error());
  return core::AttemptId{*std::move(id), *attempt};
}

Result<Epoch> epoch_of(const json::object& o) {
  const auto number = json_int(o, "epoch");
  if (!number) return fail(number.error());
  if (*number < 1) return fail(Errc::corrupt, fmt::format("'epoch' is out of range: {}", *number));
  return Epoch{*number};
}

Result<std::vector<std::uint16_t>> ports_of(const json::object& o, std::string_view key) {
  const auto array = json_array(o, key);
  if (!array) return fail(array.error());
  std::vector<std::uint16_t> ports;
  for (const auto& item : **array) {
    const auto* port = item.if_int64();
    if (port == nullptr || *port < 1 || *port > 65535)
      return fail(Errc::corrupt, fmt::format("'{}' holds what is no port", key));
    ports.push_back(static_cast<std::uint16_t>(*port));
  }
  return ports;
}

Result<std::vector<std::string>> strings_of(const json::object& o, std::string_view key) {
  const auto array = json_array(o, key);
  if (!array) return fail(array.error());
  std::vector<std::string> strings;
  for (const auto& item : **array) {
    if (!item.is_string()) return fail(Errc::corrupt, fmt::format("'{}' holds what is no string", key));
    strings.emplace_back(item.get_string());
  }
  return strings;
}

Result<std::uint64_t> natural(const json::object& o, std::string_view key) {
  const auto value = json_int(o, key);
  if (!value) return fail(value.error());
  if (*value < 0) return fail(Errc::corrupt, fmt::format("'{}' is out of range: {}", key, *value));
  return static_cast<std::uint64_t>(*value);
}

}  // namespace ydl::protocol
