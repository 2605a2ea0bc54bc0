#pragma once

#include "core/result.hpp"

#include <string>
#include <string_view>

namespace ydl::core {

// Padded, on one line.
[[nodiscard]] std::string to_base64(std::string_view bytes);
// Errors: corrupt (another letter, a length that is no multiple of four, padding that is not at the end).
[[nodiscard]] Result<std::string> from_base64(std::string_view text);

}  // namespace ydl::core
