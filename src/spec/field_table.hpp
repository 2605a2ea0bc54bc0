#pragma once

#include "spec/fields.hpp"
#include "spec/rules.hpp"
#include "spec/write.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

// Describes a struct of a job file as a table of fields. Each field is described once, by its key, its member and the
// rule for its values. Reading, writing and checking use these tables (see job_fields.cpp).
namespace ydl::spec {

template <class T>
struct Field {
  std::string_view key;
  std::function<void(const Fields&, T&)> read;  // does not change the struct if the key is absent or its value is wrong
  std::function<void(const T&, boost::json::object&)> write;  // writes nothing for an absent value
  std::function<core::Result<>(const T&)> check;
};

template <class T>
using FieldTable = std::vector<Field<T>>;

template <class T>
[[nodiscard]] std::vector<std::string_view> keys_of(const FieldTable<T>& table) {
  std::vector<std::string_view> keys;
  for (const auto& field : table) keys.push_back(field.key);
  return keys;
}

template <class T>
void read_fields(const FieldTable<T>& table, const Fields& fields, T& value) {
  for (const auto& field : table) field.read(fields, value);
}

template <class T>
[[nodiscard]] boost::json::object write_fields(const FieldTable<T>& table, const T& value) {
  boost::json::object object;
  for (const auto& field : table) field.write(value, object);
  return object;
}

// Checks all fields. The error names the key of the first invalid one.
template <class T>
[[nodiscard]] core::Result<> check_fields(const FieldTable<T>& table, const T& value) {
  for (const auto& field : table) {
    if (auto ok = field.check(value); !ok) return core::fail(std::move(ok.error()).within(field.key));
  }
  return {};
}

// ---- kinds of fields -------------------------------------------------------------------------------------------

namespace detail {

// A member that is a value or a std::optional, with functions to read, write and check it.
template <class T, class V, class Read, class Write, class Check>
Field<T> plain(std::string_view key, V T::* member, Read read, Write write, Check check) {
  return {key,
          [=](const Fields& fields, T& value) {
            if (auto found = read(fields)) value.*member = *std::move(found);
          },
          [=](const T& value, boost::json::object& object) { object.emplace(key, write(value.*member)); },
          [=](const T& value) { return check(value.*member); }};
}
template <class T, class V, class Read, class Write, class Check>
Field<T> plain(std::string_view key, std::optional<V> T::* member, Read read, Write write, Check check) {
  return {key,
          [=](const Fields& fields, T& value) {
            if (auto found = read(fields)) (value.*member).emplace(*std::move(found));
          },
          [=](const T& value, boost::json::object& object) {
            if (value.*member) object.emplace(key, write(*(value.*member)));
          },
          [=](const T& value) { return value.*member ? check(*(value.*member)) : core::Result<>(); }};
}

// A member that is not written if it is empty.
template <class T, class V, class Read, class Write, class Check>
Field<T> container(std::string_view key, V T::* member, Read read, Write write, Check check) {
  return {key, [=](const Fields& fields, T& value) { value.*member = read(fields); },
          [=](const T& value, boost::json::object& object) {
            if (!(value.*member).empty()) object.emplace(key, write(value.*member));
          },
          [=](const T& value) { return (value.*member).empty() ? core::Result<>() : check(value.*member); }};
}

inline boost::json::array list(const std::vector<std::string>& words) {
  return boost::json::array(words.begin(), words.end());
}
template <class V>
boost::json::object map(const std::map<std::string, V>& entries) {
  boost::json::object object;
  for (const auto& [key, value] : entries) object.emplace(key, value);
  return object;
}

}  // namespace detail

template <class T, class V>
[[nodiscard]] Field<T> text(std::string_view key, V T::* member, TextCheck check) {
  return detail::plain(
      key, member, [=](const Fields& fields) { return fields.text(key, check); },
      [](const std::string& value) { return boost::json::string(value); }, check);
}

// Text that is not written if it is empty.
template <class T>
[[nodiscard]] Field<T> text_if_any(std::string_view key, std::string T::* member, TextCheck check) {
  return detail::container(
      key, member, [=](const Fields& fields) { return fields.text(key, check).value_or(""); },
      [](const std::string& value) { return boost::json::string(value); }, check);
}

template <class T>
[[nodiscard]] Field<T> texts(std::string_view key, std::vector<std::string> T::* member, TextCheck check,
                             std::string_view example) {
  return detail::container(
      key, member, [=](const Fields& fields) { return fields.texts(key, check, example); }, detail::list,
      [=](const std::vector<std::string>& values) { return check_each(values, check); });
}

template <class T, class V>
[[nodiscard]] Field<T> integer(std::string_view key, V T::* member, Range range) {
  return detail::plain(
      key, member, [=](const Fields& fields) { return fields.integer(key, range); }, [](int value) { return value; },
      [=](int value) { return check_range(value, range); });
}

template <class T, class V>
[[nodiscard]] Field<T> boolean(std::string_view key, V T::* member) {
  return detail::plain(
      key, member, [=](const Fields& fields) { return fields.boolean(key); }, [](bool value) { return value; },
      [](bool) { return core::Result<>(); });
}

template <class T, class V>
[[nodiscard]] Field<T> memory(std::string_view key, V T::* member) {
  return detail::plain(
      key, member, [=](const Fields& fields) { return fields.memory(key); },
      [](std::uint64_t bytes) { return boost::json::string(exact_bytes(bytes)); }, check_memory);
}

template <class T, class V>
[[nodiscard]] Field<T> duration(std::string_view key, V T::* member, Zero zero) {
  return detail::plain(
      key, member, [=](const Fields& fields) { return fields.duration(key, zero); },
      [](core::Millis time) { return boost::json::string(exact_duration(time)); },
      [=](core::Millis time) { return check_duration(time, zero); });
}

template <class T>
[[nodiscard]] Field<T> command(std::string_view key, std::vector<std::string> T::* member) {
  return detail::container(
      key, member, [=](const Fields& fields) { return fields.command(key); }, detail::list, check_command);
}

template <class T>
[[nodiscard]] Field<T> env(std::string_view key, std::map<std::string, std::string> T::* member) {
  return detail::container(
      key, member, [=](const Fields& fields) { return fields.env(key); }, detail::map<std::string>, check_env);
}

}  // namespace ydl::spec
