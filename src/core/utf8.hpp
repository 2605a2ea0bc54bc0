#pragma once

#include <string>

namespace ydl::core {

// The text with U+FFFD in place of each byte that is not part of valid UTF-8. Names of files and processes may hold any
// bytes, and a reader of JSON refuses the whole document for one of them.
[[nodiscard]] std::string replace_invalid_utf8(std::string text);

}  // namespace ydl::core
