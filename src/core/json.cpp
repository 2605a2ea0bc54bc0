#include "core/json.hpp"

#include <fmt/format.h>

namespace ydl::core {
namespace {

std::unexpected<Error> missing(std::string_view key, std::string_view what) {
  return fail(Errc::corrupt, fmt::format("'{}' must be {}", key, what));
}

}  // namespace

Result<boost::json::object> parse_json_object(std::string_view text) {
  boost::system::error_code error;
  boost::json::parse_options options;
  options.max_depth = 32;
  auto value = boost::json::parse(text, error, {}, options);
  if (error) return fail(Errc::corrupt, fmt::format("not JSON: {}", error.message()));
  auto* object = value.if_object();
  if (object == nullptr) return fail(Errc::corrupt, "not a JSON object");
  return std::move(*object);
}

Result<boost::json::object> parse_json_record(std::string_view text, int version) {
  auto object = parse_json_object(text);
  if (!object) return fail(object.error());
  const auto found = json_int(*object, "version");
  if (!found) return fail(found.error());
  if (*found != version) {
    return fail(Errc::refused,
                fmt::format("it has version {} and was written by {} version of ydl; this ydl reads version {}", *found,
                            *found > version ? "a newer" : "an older", version));
  }
  return object;
}

Result<std::string> json_string(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return missing(key, "a string");
  return std::string(value->get_string());
}

Result<std::int64_t> json_int(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  if (value != nullptr) {
    if (const auto* number = value->if_int64()) return *number;
    if (const auto* number = value->if_uint64(); number != nullptr && *number <= INT64_MAX)
      return static_cast<std::int64_t>(*number);
  }
  return missing(key, "an integer");
}

Result<const boost::json::array*> json_array(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  if (value == nullptr || !value->is_array()) return missing(key, "an array");
  return value->if_array();
}

Result<const boost::json::object*> json_object(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  if (value == nullptr || !value->is_object()) return missing(key, "an object");
  return value->if_object();
}

Result<Strings> json_strings(const boost::json::object& object, std::string_view key) {
  const auto found = json_object(object, key);
  if (!found) return fail(found.error());
  Strings strings;
  for (const auto& [name, value] : **found) {
    if (!value.is_string()) return missing(key, "an object of strings");
    strings.emplace(name, value.get_string());
  }
  return strings;
}

boost::json::object to_json(const Strings& strings) {
  boost::json::object object;
  for (const auto& [name, value] : strings) object[name] = value;
  return object;
}

std::string json_string_or(const boost::json::object& object, std::string_view key, std::string_view otherwise) {
  return json_string(object, key).value_or(std::string(otherwise));
}

std::int64_t json_int_or(const boost::json::object& object, std::string_view key, std::int64_t otherwise) {
  return json_int(object, key).value_or(otherwise);
}

bool json_bool_or(const boost::json::object& object, std::string_view key, bool otherwise) {
  const auto* value = object.if_contains(key);
  return value != nullptr && value->is_bool() ? value->get_bool() : otherwise;
}

std::optional<double> json_number(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->to_number<double>();
}

}  // namespace ydl::core
