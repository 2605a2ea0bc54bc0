#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ydl::core {

// Replaces each byte that is not valid UTF-8 by U+FFFD. Names of files and processes may contain any bytes, but a
// single invalid byte makes a whole JSON document unreadable.
[[nodiscard]] std::string replace_invalid_utf8(std::string text);

// Untrusted bytes for display on one line: control characters and invalid UTF-8 become \xNN. Unlike with printable(),
// different names stay different.
[[nodiscard]] std::string escaped(std::string_view bytes);

// The same for several lines: line breaks are kept.
[[nodiscard]] std::string escaped_lines(std::string_view text);

// The first `most` bytes at most, followed by "…" if the text was longer. For text from a server, which may have any
// length.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most);

}  // namespace ydl::core
