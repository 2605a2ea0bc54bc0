#pragma once

#include "core/result.hpp"

#include <string>
#include <string_view>

namespace ydl::core {

// With padding, without line breaks.
[[nodiscard]] std::string to_base64(std::string_view bytes);
// Errors: corrupt (an invalid character, a length that is not a multiple of four, padding before the end).
[[nodiscard]] Result<std::string> from_base64(std::string_view text);

}  // namespace ydl::core
