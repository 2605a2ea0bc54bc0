#pragma once

#include "core/clock.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace ydl::hconf {

// Values as Hadoop writes them, trimmed; nothing for what is not one.

// "true", "FALSE".
[[nodiscard]] std::optional<bool> parse_truth(std::string_view text);
// "-12", "0x7f".
[[nodiscard]] std::optional<std::int64_t> parse_whole(std::string_view text);
// "64", "64k", "128M", "2g": powers of 1024.
[[nodiscard]] std::optional<std::int64_t> parse_size(std::string_view text);
// "30", "30s", "1500ms", "5m", "2h", "1d", "10us", "10ns"; a bare number counts in `unit`.
[[nodiscard]] std::optional<core::Millis> parse_time(std::string_view text, core::Millis unit);

}  // namespace ydl::hconf
