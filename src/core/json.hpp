#pragma once

#include "core/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

// Reading JSON that somebody else wrote: every step can fail, and the failure names the key.
namespace ydl::core {

// Nothing the product reads is larger or deeper than this.
[[nodiscard]] Result<boost::json::object> parse_json_object(std::string_view text);

// A record of ours: an object with a "version". Errors: corrupt; refused, when another version of ydl wrote it.
[[nodiscard]] Result<boost::json::object> parse_json_record(std::string_view text, int version);

[[nodiscard]] Result<std::string> json_string(const boost::json::object& object, std::string_view key);
[[nodiscard]] Result<std::int64_t> json_int(const boost::json::object& object, std::string_view key);
[[nodiscard]] Result<const boost::json::array*> json_array(const boost::json::object& object, std::string_view key);
[[nodiscard]] Result<const boost::json::object*> json_object(const boost::json::object& object, std::string_view key);

// An object of strings, such as a configuration. Errors: it is missing, or one of its values is not a string.
using Strings = std::map<std::string, std::string>;
[[nodiscard]] Result<Strings> json_strings(const boost::json::object& object, std::string_view key);
[[nodiscard]] boost::json::object to_json(const Strings& strings);

// The value, or `otherwise` where the key is missing or of another type.
[[nodiscard]] std::string json_string_or(const boost::json::object& object, std::string_view key,
                                         std::string_view otherwise);
[[nodiscard]] std::int64_t json_int_or(const boost::json::object& object, std::string_view key, std::int64_t otherwise);
[[nodiscard]] bool json_bool_or(const boost::json::object& object, std::string_view key, bool otherwise);
[[nodiscard]] std::optional<double> json_number(const boost::json::object& object, std::string_view key);

}  // namespace ydl::core
