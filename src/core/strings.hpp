#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::core {

// The value if all of `text` is a decimal integer that fits; nothing otherwise.
template <class Int>
[[nodiscard]] std::optional<Int> parse_int(std::string_view text) {
  Int value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);

// A count with its noun: "1 task", "2 tasks".
[[nodiscard]] std::string plural(std::int64_t count, std::string_view noun);

// The candidate with the smallest edit distance to `text`, if it is small enough for a typing mistake.
[[nodiscard]] std::optional<std::string> nearest(std::string_view text, std::span<const std::string_view> candidates);

// "; did you mean 'worker'?", or "" if no candidate is near.
[[nodiscard]] std::string did_you_mean(std::string_view text, std::span<const std::string_view> candidates);

// Sizes as users write them: "512", "512m", "2g", "1.5GiB". Units are binary; a number without a unit is in MiB, as in
// YARN.
[[nodiscard]] Result<std::uint64_t> parse_bytes(std::string_view text);
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

// Durations as users write them: "90", "90s", "500ms", "10m", "2h", "1d". A number without a unit is in seconds.
[[nodiscard]] Result<Millis> parse_duration(std::string_view text);
// "350 ms", "4.2 s", "3 min 5 s", "2 h 10 min".
[[nodiscard]] std::string format_duration(Millis duration);

// "2026-11-15T03:13:28.123Z".
[[nodiscard]] std::string format_utc(WallTime time);
[[nodiscard]] std::optional<WallTime> parse_utc(std::string_view text);

// `word` as one word of a POSIX shell, quoted only if necessary.
[[nodiscard]] std::string shell_quote(std::string_view word);
[[nodiscard]] std::string shell_join(std::span<const std::string> words);

// The length of the UTF-8 sequence at the start of `bytes`, or 0 if it is invalid. `bytes` must not be empty.
[[nodiscard]] std::size_t utf8_length(std::string_view bytes);

// Makes untrusted bytes safe for a terminal and for JSON: invalid UTF-8 becomes U+FFFD, and control characters other
// than tab are removed. For a single line.
[[nodiscard]] std::string printable(std::string_view bytes);

// `bytes` random bytes from the kernel, in lower-case hexadecimal.
[[nodiscard]] std::string random_hex(std::size_t bytes);

// Compares two secrets in a time that does not depend on the position of the first difference (timing attacks).
[[nodiscard]] bool secret_equal(std::string_view a, std::string_view b) noexcept;

}  // namespace ydl::core
