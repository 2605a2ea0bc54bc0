#include "hconf/values.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace ydl::hconf {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::optional<std::int64_t> times(std::int64_t value, std::int64_t factor) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(value, factor, &product)) return std::nullopt;
  return product;
}

struct TimeUnit {
  std::string_view suffix;
  std::int64_t nanoseconds;
};
constexpr std::int64_t kMillisecond = 1'000'000;
// Longer suffixes come first: "5ms" must not be read as "s" after "5m".
constexpr auto kTimeUnits = std::to_array<TimeUnit>({
    {"ns", 1},
    {"us", 1000},
    {"ms", kMillisecond},
    {"s", 1000 * kMillisecond},
    {"m", 60'000 * kMillisecond},
    {"h", 3'600'000 * kMillisecond},
    {"d", 86'400'000 * kMillisecond},
});

}  // namespace

std::optional<bool> parse_truth(std::string_view text) {
  if (same_word(text, "true")) return true;
  if (same_word(text, "false")) return false;
  return std::nullopt;
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  std::string_view digits = text.substr(is_negative ? 1 : 0);
  if (!digits.starts_with("0x") && !digits.starts_with("0X")) return core::parse_int<std::int64_t>(text);
  digits.remove_prefix(2);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc{} || end != digits.data() + digits.size() || value < 0) return std::nullopt;
  return is_negative ? -value : value;
}

std::optional<std::int64_t> parse_size(std::string_view text) {
  constexpr std::string_view kPrefixes = "kmgtpe";
  if (text.empty()) return std::nullopt;
  const auto power = kPrefixes.find(lower(text.back()));
  if (power == std::string_view::npos) return core::parse_int<std::int64_t>(text);
  const auto value = core::parse_int<std::int64_t>(core::trim(text.substr(0, text.size() - 1)));
  if (!value) return std::nullopt;
  return times(*value, std::int64_t{1} << (10 * (power + 1)));
}

std::optional<core::Millis> parse_time(std::string_view text, core::Millis unit) {
  for (const auto& [suffix, nanoseconds] : kTimeUnits) {
    if (text.size() <= suffix.size() || !same_word(text.substr(text.size() - suffix.size()), suffix)) continue;
    const auto value = core::parse_int<std::int64_t>(core::trim(text.substr(0, text.size() - suffix.size())));
    if (!value) continue;
    if (nanoseconds < kMillisecond) return core::Millis(*value / (kMillisecond / nanoseconds));
    const auto millis = times(*value, nanoseconds / kMillisecond);
    return millis ? std::optional(core::Millis(*millis)) : std::nullopt;
  }
  const auto value = core::parse_int<std::int64_t>(text);
  const auto millis = value ? times(*value, unit.count()) : std::nullopt;
  return millis ? std::optional(core::Millis(*millis)) : std::nullopt;
}

}  // namespace ydl::hconf
