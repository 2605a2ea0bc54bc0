#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ydl::core {

// The text with U+FFFD in place of each byte that is not part of valid UTF-8. Names of files and processes may hold any
// bytes, and a reader of JSON refuses the whole document for one of them.
[[nodiscard]] std::string replace_invalid_utf8(std::string text);

// Bytes of unknown origin for people to read, on one line: control characters and bytes that are not UTF-8 become \xNN.
// Unlike printable() it keeps different names different.
[[nodiscard]] std::string escaped(std::string_view bytes);

// The same for text of several lines, which stay lines.
[[nodiscard]] std::string escaped_lines(std::string_view text);

// At most that many bytes of it, ending in "…" where something was left out: what a server sends may have any length.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most);

}  // namespace ydl::core
