#include "core/strings.hpp"

#include "core/assert.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <sys/random.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace ydl::core {
namespace {

struct Number {
  double value;
  std::string unit;  // lower case
};

std::optional<Number> parse_number_with_unit(std::string_view text) {
  text = trim(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(value) || value < 0 || text.starts_with('-')) {
    return std::nullopt;
  }
  std::string unit(trim(text.substr(static_cast<std::size_t>(end - text.data()))));
  std::ranges::transform(unit, unit.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return Number{value, std::move(unit)};
}

// Counts insertions, deletions, substitutions and swaps of neighbours, the four usual typing mistakes.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substituted});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string plural(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::optional<std::string> nearest(std::string_view text, std::span<const std::string_view> candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, text.size() / 3) + 1;
  for (const auto candidate : candidates) {
    const auto distance = edit_distance(text, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = std::string(candidate);
    }
  }
  return best;
}

std::string did_you_mean(std::string_view text, std::span<const std::string_view> candidates) {
  const auto guess = nearest(text, candidates);
  return guess ? fmt::format("; did you mean '{}'?", *guess) : std::string();
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
  struct Unit {
    std::string_view name;
    int shift;
  };
  static constexpr std::array kUnits{Unit{"", 20},    Unit{"b", 0},   Unit{"k", 10},   Unit{"kb", 10}, Unit{"kib", 10},
                                     Unit{"m", 20},   Unit{"mb", 20}, Unit{"mib", 20}, Unit{"g", 30},  Unit{"gb", 30},
                                     Unit{"gib", 30}, Unit{"t", 40},  Unit{"tb", 40},  Unit{"tib", 40}};
  if (const auto number = parse_number_with_unit(text)) {
    for (const auto& unit : kUnits) {
      if (unit.name != number->unit) continue;
      const double bytes = std::ldexp(number->value, unit.shift);
      if (bytes >= 9.0e18) break;
      return static_cast<std::uint64_t>(bytes);
    }
  }
  return fail(Errc::usage,
              fmt::format("'{}' is not a size: write a number with k, m, g or t, for example 512m or 2g", text));
}

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array kNames{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kNames.size()) {
    value /= 1024;
    ++unit;
  }
  const bool whole = value == std::floor(value) || value >= 100;
  return whole ? fmt::format("{:.0f} {}", value, kNames[unit]) : fmt::format("{:.1f} {}", value, kNames[unit]);
}

Result<Millis> parse_duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    double millis;
  };
  static constexpr std::array kUnits{Unit{"", 1e3},  Unit{"ms", 1},    Unit{"s", 1e3},   Unit{"sec", 1e3},
                                     Unit{"m", 6e4}, Unit{"min", 6e4}, Unit{"h", 3.6e6}, Unit{"d", 8.64e7}};
  if (const auto number = parse_number_with_unit(text)) {
    for (const auto& unit : kUnits) {
      if (unit.name != number->unit) continue;
      const double millis = number->value * unit.millis;
      if (millis > 3.2e12) break;  // 100 years: a longer duration is a typing mistake
      return Millis(static_cast<std::int64_t>(std::llround(millis)));
    }
  }
  return fail(
      Errc::usage,
      fmt::format("'{}' is not a duration: write a number with ms, s, m, h or d, for example 90s or 10m", text));
}

std::string format_duration(Millis duration) {
  const auto ms = duration.count();
  if (ms < 1000) return fmt::format("{} ms", ms);
  if (ms < 60'000) {
    return ms % 1000 == 0 ? fmt::format("{} s", ms / 1000) : fmt::format("{:.1f} s", static_cast<double>(ms) / 1000);
  }
  const auto seconds = ms / 1000;
  const auto pair = [](std::int64_t big, std::string_view big_unit, std::int64_t small, std::string_view small_unit) {
    return small == 0 ? fmt::format("{} {}", big, big_unit)
                      : fmt::format("{} {} {} {}", big, big_unit, small, small_unit);
  };
  if (seconds < 3600) return pair(seconds / 60, "min", seconds % 60, "s");
  if (seconds < 86'400) return pair(seconds / 3600, "h", seconds % 3600 / 60, "min");
  return pair(seconds / 86'400, "d", seconds % 86'400 / 3600, "h");
}

std::string format_utc(WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(static_cast<std::time_t>(seconds.time_since_epoch().count())),
                     (time - seconds).count());
}

std::optional<WallTime> parse_utc(std::string_view text) {
  // 2026-11-15T03:13:28.123Z
  if (text.size() != 24 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' || text[16] != ':' ||
      text[19] != '.' || text[23] != 'Z') {
    return std::nullopt;
  }
  const auto year = parse_int<int>(text.substr(0, 4));
  const auto month = parse_int<unsigned>(text.substr(5, 2));
  const auto day = parse_int<unsigned>(text.substr(8, 2));
  const auto hour = parse_int<int>(text.substr(11, 2));
  const auto minute = parse_int<int>(text.substr(14, 2));
  const auto second = parse_int<int>(text.substr(17, 2));
  const auto milli = parse_int<int>(text.substr(20, 3));
  if (!year || !month || !day || !hour || !minute || !second || !milli) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(*month), std::chrono::day(*day)};
  if (!date.ok() || *hour < 0 || *hour > 23 || *minute < 0 || *minute > 59 || *second < 0 || *second > 60)
    return std::nullopt;
  return WallTime(std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
                  std::chrono::seconds(*second) + Millis(*milli));
}

std::string shell_quote(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

std::string shell_join(std::span<const std::string> words) {
  std::string line;
  for (const auto& word : words) {
    if (!line.empty()) line += ' ';
    line += shell_quote(word);
  }
  return line;
}

std::size_t utf8_length(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes[0]);
  std::size_t length = 0;
  std::uint32_t point = 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
    point = lead & 0x1FU;
  } else if ((lead & 0xF0U) == 0xE0) {
    length = 3;
    point = lead & 0x0FU;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    point = lead & 0x07U;
  } else
    return 0;
  if (bytes.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(bytes[i]);
    if ((next & 0xC0U) != 0x80) return 0;
    point = (point << 6U) | (next & 0x3FU);
  }
  const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  return overlong || surrogate || point > 0x10FFFF ? 0 : length;
}

std::string printable(std::string_view bytes) {
  std::string clean;
  clean.reserve(bytes.size());
  while (!bytes.empty()) {
    const auto length = utf8_length(bytes);
    if (length == 0) {
      clean += "\xEF\xBF\xBD";
      bytes.remove_prefix(1);
      continue;
    }
    const auto lead = static_cast<unsigned char>(bytes[0]);
    // U+0080 to U+009F are controls too: U+009B starts an escape sequence on some terminals.
    const bool c1_control = lead == 0xC2 && static_cast<unsigned char>(bytes[1]) < 0xA0;
    const bool plain = length == 1 ? (lead >= 0x20 && lead != 0x7F) || lead == '\t' : !c1_control;
    if (plain) clean += bytes.substr(0, length);
    bytes.remove_prefix(length);
  }
  return clean;
}

std::string random_hex(std::size_t bytes) {
  std::vector<unsigned char> raw(bytes);
  std::size_t got = 0;
  while (got < bytes) {
    const auto n = ::getrandom(raw.data() + got, bytes - got, 0);
    if (n < 0 && errno == EINTR) continue;
    YDL_ASSERT(n > 0);
    got += static_cast<std::size_t>(n);
  }
  return fmt::format("{:02x}", fmt::join(raw, ""));
}

bool secret_equal(std::string_view a, std::string_view b) noexcept {
  unsigned difference = a.size() == b.size() ? 0U : 1U;
  for (std::size_t i = 0; i < a.size() && !b.empty(); ++i) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i % b.size()]));
  }
  return difference == 0;
}

}  // namespace ydl::core
