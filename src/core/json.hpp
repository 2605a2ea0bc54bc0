#pragma once

#include "core/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

// Functions that read JSON from outside. Each of them can fail, and the message names the key.
namespace ydl::core {

// Parses an object. Nested values are limited to a depth of 32, far more than ydl's own records need.
[[nodiscard]] Result<boost::json::object> parse_json_object(std::string_view text);

// Parses a record that ydl writes: an object with a "version". Errors: corrupt; refused, when it has another version.
[[nodiscard]] Result<boost::json::object> parse_json_record(std::string_view text, int version);

[[nodiscard]] Result<std::string> json_string(const boost::json::object& object, std::string_view key);
[[nodiscard]] Result<std::int64_t> json_int(const boost::json::object& object, std::string_view key);
[[nodiscard]] Result<const boost::json::array*> json_array(const boost::json::object& object, std::string_view key);
[[nodiscard]] Result<const boost::json::object*> json_object(const boost::json::object& object, std::string_view key);

// An object whose values are all strings, such as a configuration. Errors: corrupt, when it is missing or has another
// value.
using Strings = std::map<std::string, std::string>;
[[nodiscard]] Result<Strings> json_strings(const boost::json::object& object, std::string_view key);
[[nodiscard]] boost::json::object to_json(const Strings& strings);

// The value, or `otherwise` if the key is missing or its value has another type.
[[nodiscard]] std::string json_string_or(const boost::json::object& object, std::string_view key,
                                         std::string_view otherwise);
[[nodiscard]] std::int64_t json_int_or(const boost::json::object& object, std::string_view key, std::int64_t otherwise);
[[nodiscard]] bool json_bool_or(const boost::json::object& object, std::string_view key, bool otherwise);
[[nodiscard]] std::optional<double> json_number(const boost::json::object& object, std::string_view key);

}  // namespace ydl::core
