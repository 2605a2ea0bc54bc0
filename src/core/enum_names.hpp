#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

// The names of an enum's values in files, JSON and options: one table, next to the enum.
//
//   enum class Fruit { apple, pear };
//   template <>
//   struct core::EnumNames<Fruit> {
//     static constexpr auto kNames = names_up_to(Fruit::pear, "apple", "pear");
//   };
//
//   core::name(Fruit::pear)              "pear"
//   core::parse_name<Fruit>("plum")      nothing
namespace ydl::core {

template <class E>
struct EnumNames;

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires { EnumNames<E>::kNames.size(); };

// A table with one name for each value, in the order of the values up to the last one. A missing or extra name does not
// compile.
template <class E, class... Names>
consteval auto names_up_to(E last, Names... names) {
  const std::array<std::string_view, sizeof...(Names)> table{names...};
  if (static_cast<std::size_t>(last) + 1 != table.size()) throw "every value needs exactly one name";
  return table;
}

template <NamedEnum E>
[[nodiscard]] constexpr std::string_view name(E value) {
  return EnumNames<E>::kNames.at(static_cast<std::size_t>(value));
}

template <NamedEnum E>
[[nodiscard]] constexpr std::optional<E> parse_name(std::string_view text) {
  constexpr const auto& kNames = EnumNames<E>::kNames;
  const auto found = std::ranges::find(kNames, text);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<E>(found - kNames.begin());
}

// A value that another version of ydl may have written. If E has no value of this name, the name is kept for display
// and the object is different from every value of E.
template <NamedEnum E>
class Named {
 public:
  constexpr Named(E value) : value_(value) {}  // NOLINT(google-explicit-constructor): the conversion always succeeds
  [[nodiscard]] static Named parse(std::string_view text) {
    const auto known = parse_name<E>(text);
    return known ? Named(*known) : Named(std::string(text));
  }

  [[nodiscard]] std::optional<E> value() const { return value_; }
  [[nodiscard]] std::string_view name() const { return value_ ? core::name(*value_) : std::string_view(unknown_); }

  friend bool operator==(const Named&, const Named&) = default;
  friend bool operator==(const Named& named, E value) { return named.value_ == value; }

 private:
  explicit Named(std::string unknown) : unknown_(std::move(unknown)) {}

  std::optional<E> value_;
  std::string unknown_;  // the name, if no value has it
};

}  // namespace ydl::core
