#pragma once

#include "core/clock.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace ydl::hconf {

// Parsers for trimmed values in Hadoop's notation. They return nothing for invalid values.

// "true", "FALSE".
[[nodiscard]] std::optional<bool> parse_truth(std::string_view text);
// "-12", "0x7f".
[[nodiscard]] std::optional<std::int64_t> parse_whole(std::string_view text);
// "64", "64k", "128M", "2g"; units are powers of 1024.
[[nodiscard]] std::optional<std::int64_t> parse_size(std::string_view text);
// "30", "30s", "1500ms", "5m", "2h", "1d", "10us", "10ns"; a number without a unit is in `unit`.
[[nodiscard]] std::optional<core::Millis> parse_time(std::string_view text, core::Millis unit);

}  // namespace ydl::hconf
