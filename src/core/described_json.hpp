#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/ids.hpp"
#include "core/json.hpp"
#include "core/result.hpp"
#include "core/strings.hpp"

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/members.hpp>
#include <boost/json.hpp>
#include <boost/mp11/algorithm.hpp>
#include <fmt/format.h>

// Structs as JSON objects, both ways, from one description:
//
//   struct Step { std::string name; std::optional<int> code; };
//   BOOST_DESCRIBE_STRUCT(Step, (), (name, code))
//
//   core::to_json(step)                  {"name":"upload","code":3}
//   core::from_json<Step>(object)        an Error names the key that is missing or has another type
//   core::encode_record(1, step)         {"version":1,"name":"upload","code":3}
//   core::decode_record<Step>(1, text)   refuses another version
//
// Every member except std::optional ones is required. Unknown keys are ignored, so that a newer version of ydl can add
// keys. An enum is written by its name (enum_names.hpp); reading an unknown name is an error.
namespace ydl::core {

template <class T>
concept Described = boost::describe::has_describe_members<T>::value && !std::is_enum_v<T>;

template <Described T>
[[nodiscard]] boost::json::object to_json(const T& value);
template <Described T>
[[nodiscard]] Result<T> from_json(const boost::json::object& object);

// Converts the value of one member. Specialised below; add a specialisation for a type that needs its own format.
template <class T>
struct JsonValue;

template <>
struct JsonValue<std::string> {
  static boost::json::value write(const std::string& value) { return boost::json::string(value); }
  static Result<std::string> read(const boost::json::value& value) {
    if (!value.is_string()) return fail(Errc::corrupt, "must be a string");
    return std::string(value.get_string());
  }
};

template <>
struct JsonValue<bool> {
  static boost::json::value write(bool value) { return value; }
  static Result<bool> read(const boost::json::value& value) {
    if (!value.is_bool()) return fail(Errc::corrupt, "must be true or false");
    return value.get_bool();
  }
};

template <std::integral T>
struct JsonValue<T> {
  static boost::json::value write(T value) { return value; }
  static Result<T> read(const boost::json::value& value) {
    boost::system::error_code error;
    const auto number = value.is_number() ? value.to_number<T>(error) : T{};
    if (!value.is_number() || error) {
      return fail(Errc::corrupt, fmt::format("must be a whole number from {} to {}", std::numeric_limits<T>::min(),
                                             std::numeric_limits<T>::max()));
    }
    return number;
  }
};

template <>
struct JsonValue<double> {
  static boost::json::value write(double value) { return value; }
  static Result<double> read(const boost::json::value& value) {
    if (!value.is_number()) return fail(Errc::corrupt, "must be a number");
    return value.to_number<double>();
  }
};

template <>
struct JsonValue<Millis> {
  static boost::json::value write(Millis value) { return value.count(); }
  static Result<Millis> read(const boost::json::value& value) {
    const auto count = JsonValue<std::int64_t>::read(value);
    if (!count) return fail(count.error());
    return Millis(*count);
  }
};

template <>
struct JsonValue<WallTime> {
  static boost::json::value write(WallTime value) { return boost::json::string(format_utc(value)); }
  static Result<WallTime> read(const boost::json::value& value) {
    const auto time = value.is_string() ? parse_utc(value.get_string()) : std::nullopt;
    if (!time) return fail(Errc::corrupt, "must be a time such as 2026-11-15T03:13:28.123Z");
    return *time;
  }
};

template <>
struct JsonValue<boost::json::object> {
  static boost::json::value write(const boost::json::object& value) { return value; }
  static Result<boost::json::object> read(const boost::json::value& value) {
    if (!value.is_object()) return fail(Errc::corrupt, "must be an object");
    return value.get_object();
  }
};

template <>
struct JsonValue<TaskId> {
  static boost::json::value write(const TaskId& value) { return boost::json::string(value.str()); }
  static Result<TaskId> read(const boost::json::value& value) {
    const auto text = JsonValue<std::string>::read(value);
    if (!text) return fail(text.error());
    return TaskId::parse(*text);
  }
};

template <>
struct JsonValue<AttemptId> {
  static boost::json::value write(const AttemptId& value) {
    return boost::json::object{{"task", value.task.str()}, {"number", value.attempt}};
  }
  static Result<AttemptId> read(const boost::json::value& value);
};

template <NamedEnum E>
struct JsonValue<E> {
  static boost::json::value write(E value) { return boost::json::string(name(value)); }
  static Result<E> read(const boost::json::value& value) {
    const auto text = JsonValue<std::string>::read(value);
    if (!text) return fail(text.error());
    const auto parsed = parse_name<E>(*text);
    if (!parsed) return fail(Errc::corrupt, fmt::format("has the unknown value '{}'", *text));
    return *parsed;
  }
};

// Named keeps a name that this version does not know, because another version of ydl may have written it.
template <NamedEnum E>
struct JsonValue<Named<E>> {
  static boost::json::value write(const Named<E>& value) { return boost::json::string(value.name()); }
  static Result<Named<E>> read(const boost::json::value& value) {
    const auto text = JsonValue<std::string>::read(value);
    if (!text) return fail(text.error());
    return Named<E>::parse(*text);
  }
};

template <class T>
struct JsonValue<std::vector<T>> {
  static boost::json::value write(const std::vector<T>& values) {
    boost::json::array array;
    array.reserve(values.size());
    for (const auto& value : values) array.push_back(JsonValue<T>::write(value));
    return array;
  }
  static Result<std::vector<T>> read(const boost::json::value& value) {
    if (!value.is_array()) return fail(Errc::corrupt, "must be a list");
    std::vector<T> values;
    values.reserve(value.get_array().size());
    for (const auto& item : value.get_array()) {
      auto one = JsonValue<T>::read(item);
      if (!one) return fail(one.error());
      values.push_back(*std::move(one));
    }
    return values;
  }
};

template <class First, class Second>
struct JsonValue<std::pair<First, Second>> {
  static boost::json::value write(const std::pair<First, Second>& value) {
    return boost::json::array{JsonValue<First>::write(value.first), JsonValue<Second>::write(value.second)};
  }
  static Result<std::pair<First, Second>> read(const boost::json::value& value) {
    if (!value.is_array() || value.get_array().size() != 2) return fail(Errc::corrupt, "must be a list of two");
    auto first = JsonValue<First>::read(value.get_array()[0]);
    auto second = JsonValue<Second>::read(value.get_array()[1]);
    if (!first) return fail(first.error());
    if (!second) return fail(second.error());
    return std::pair(*std::move(first), *std::move(second));
  }
};

template <class T>
struct JsonValue<std::map<std::string, T>> {
  static boost::json::value write(const std::map<std::string, T>& values) {
    boost::json::object object;
    for (const auto& [key, value] : values) object.emplace(key, JsonValue<T>::write(value));
    return object;
  }
  static Result<std::map<std::string, T>> read(const boost::json::value& value) {
    if (!value.is_object()) return fail(Errc::corrupt, "must be an object");
    std::map<std::string, T> values;
    for (const auto& [key, item] : value.get_object()) {
      auto one = JsonValue<T>::read(item);
      if (!one) return fail(Errc::corrupt, fmt::format("'{}' {}", std::string_view(key), one.error().message));
      values.emplace(key, *std::move(one));
    }
    return values;
  }
};

template <Described T>
struct JsonValue<T> {
  static boost::json::value write(const T& value) { return to_json(value); }
  static Result<T> read(const boost::json::value& value) {
    if (!value.is_object()) return fail(Errc::corrupt, "must be an object");
    return from_json<T>(value.get_object());
  }
};

namespace detail {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
void write_member(boost::json::object& object, const char* key, const T& value) {
  if constexpr (IsOptional<T>::value) {
    if (value) object[key] = JsonValue<typename T::value_type>::write(*value);
  } else {
    object[key] = JsonValue<T>::write(value);
  }
}

template <class T>
Result<void> read_member(const boost::json::object& object, const char* key, T& value) {
  const auto* const found = object.if_contains(key);
  const auto take = [&](auto read) -> Result<void> {
    if (!read) return fail(Errc::corrupt, fmt::format("'{}' {}", key, read.error().message));
    value = *std::move(read);
    return {};
  };
  if constexpr (IsOptional<T>::value) {
    if (found == nullptr || found->is_null()) return {};
    return take(JsonValue<typename T::value_type>::read(*found));
  } else {
    if (found == nullptr) return fail(Errc::corrupt, fmt::format("'{}' is missing", key));
    return take(JsonValue<T>::read(*found));
  }
}

template <class T>
using Members = boost::describe::describe_members<T, boost::describe::mod_public | boost::describe::mod_inherited>;

}  // namespace detail

// Adds the members of `value` to an object that may already have others.
template <Described T>
void add_members(boost::json::object& object, const T& value) {
  boost::mp11::mp_for_each<detail::Members<T>>(
      [&](auto member) { detail::write_member(object, member.name, value.*member.pointer); });
}

template <Described T>
boost::json::object to_json(const T& value) {
  boost::json::object object;
  add_members(object, value);
  return object;
}

template <Described T>
Result<T> from_json(const boost::json::object& object) {
  T value{};
  Result<void> read;
  boost::mp11::mp_for_each<detail::Members<T>>([&](auto member) {
    if (read) read = detail::read_member(object, member.name, value.*member.pointer);
  });
  if (!read) return fail(read.error());
  return value;
}

// The text of a record that ydl writes: "version", then the described members.
template <Described T>
[[nodiscard]] std::string encode_record(int version, const T& value) {
  boost::json::object object{{"version", version}};
  add_members(object, value);
  return boost::json::serialize(object);
}

// Errors: corrupt, with the key; refused, when the record has another version.
template <Described T>
[[nodiscard]] Result<T> decode_record(int version, std::string_view text) {
  const auto object = parse_json_record(text, version);
  if (!object) return fail(object.error());
  return from_json<T>(*object);
}

// Reads one member of an object that is not a described struct. Errors: corrupt, with the key.
template <class T>
[[nodiscard]] Result<T> json_member(const boost::json::object& object, const char* key) {
  T value{};
  if (auto read = detail::read_member(object, key, value); !read) return fail(read.error());
  return value;
}

inline Result<AttemptId> JsonValue<AttemptId>::read(const boost::json::value& value) {
  if (!value.is_object()) return fail(Errc::corrupt, "must be an object");
  auto task = json_member<TaskId>(value.get_object(), "task");
  const auto number = json_member<int>(value.get_object(), "number");
  if (!task) return fail(task.error());
  if (!number) return fail(number.error());
  if (*number < 0) return fail(Errc::corrupt, fmt::format("'number' is out of range: {}", *number));
  return AttemptId{*std::move(task), *number};
}

}  // namespace ydl::core
