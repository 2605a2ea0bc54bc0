#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"
#include "ui/words.hpp"

#include <string_view>

namespace ydl::cli {

// A time in the past: how long ago or a date, as parse_moment() has them, or "03:13:20" on this machine's clock (of
// yesterday if today's is still to come). Errors: usage, with the option in its sentence.
[[nodiscard]] core::Result<core::WallTime> parse_past_time(std::string_view option, std::string_view text,
                                                           core::WallTime now, const ui::UtcOffset& offset);

}  // namespace ydl::cli
