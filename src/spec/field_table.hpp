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

// A struct of a job file as a table of its fields. Each field is described once: its key, its member of the struct and
// the rule for its values. Reading, writing and checking follow from that (job_fields.cpp has the tables).
namespace ydl::spec {

template <class T>
struct Field {
  std::string_view key;
  std::function<void(const Fields&, T&)> read;  // leaves the struct alone where the key is absent or wrong
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

// The first field that breaks its rule, named by its key.
template <class T>
[[nodiscard]] core::Result<> check_fields(const FieldTable<T>& table, const T& value) {
  for (const auto& field : table) {
    if (auto ok = field.check(value); !ok) return core::fail(std::move(ok.error()).within(field.key));
  }
  return {};
}

// ---- kinds of fields -------------------------------------------------------------------------------------------

namespace detail {

// A member that holds a value, or a std::optional of one, read by `read` and written as `write` says.
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

// A member that is absent while it is empty.
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

// Text that is absent while it is empty.
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
