#pragma once

#include "core/described_json.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <variant>

// A variant of described structs (described_json.hpp) as a JSON object. One member of the object names the alternative.
//
//   using Shape = std::variant<Circle, Square>;
//   constexpr AlternativeNames<Shape> kNames{"circle", "square"};
//   write_alternative("shape", kNames, shape)    {"shape":"circle","radius":2}
namespace ydl::core {

// In the order of the alternatives.
template <class Variant>
using AlternativeNames = std::array<std::string_view, std::variant_size_v<Variant>>;

namespace detail {

template <class Variant, std::size_t I = 0>
Result<Variant> read_alternative_at(std::size_t index, const boost::json::object& object) {
  if constexpr (I < std::variant_size_v<Variant>) {
    if (I != index) return read_alternative_at<Variant, I + 1>(index, object);
    auto value = from_json<std::variant_alternative_t<I, Variant>>(object);
    if (!value) return fail(value.error());
    return Variant(*std::move(value));
  }
  return fail(Errc::corrupt, "has no such alternative");
}

}  // namespace detail

// Adds the value to an object that may already have other members.
template <class Variant>
void add_alternative(boost::json::object& object, const char* key, const AlternativeNames<Variant>& names,
                     const Variant& value) {
  object[key] = names.at(value.index());
  std::visit([&](const auto& one) { add_members(object, one); }, value);
}

template <class Variant>
[[nodiscard]] boost::json::object write_alternative(const char* key, const AlternativeNames<Variant>& names,
                                                    const Variant& value) {
  boost::json::object object;
  add_alternative(object, key, names, value);
  return object;
}

// Errors: corrupt, with the alternative and the key.
template <class Variant>
[[nodiscard]] Result<Variant> read_alternative(const char* key, const AlternativeNames<Variant>& names,
                                               const boost::json::object& object) {
  const auto name = json_member<std::string>(object, key);
  if (!name) return fail(name.error());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != *name) continue;
    auto value = detail::read_alternative_at<Variant>(i, object);
    if (!value) return fail(value.error().within(fmt::format("{} {}", key, *name)));
    return value;
  }
  return fail(Errc::corrupt, fmt::format("'{}' has the unknown value '{}'", key, *name));
}

}  // namespace ydl::core
