#pragma once

#include <string>
#include <string_view>

namespace ydl::ui {

// Any bytes as one line that a terminal only shows and never acts on: escape sequences, control characters and
// direction overrides are gone, invalid UTF-8 is U+FFFD, tabs are spaces, line ends are one space. Of a line that
// overwrote itself with carriage returns, as progress bars do, the last version stays.
[[nodiscard]] std::string clean(std::string_view bytes);

// The columns a terminal needs for cleaned text: wide characters two, combining ones none.
[[nodiscard]] int display_width(std::string_view text);

// The longest beginning of cleaned text that fits `columns`; a combining character stays with its base.
[[nodiscard]] std::string_view fit_prefix(std::string_view text, int columns);

// Cleaned text cut to `columns`, the cut shown by `ellipsis` where there is room for it.
[[nodiscard]] std::string cut(std::string_view text, int columns, std::string_view ellipsis = "…");

// Cleaned text with spaces up to `columns`, after it or before it.
[[nodiscard]] std::string pad_right(std::string_view text, int columns);
[[nodiscard]] std::string pad_left(std::string_view text, int columns);

}  // namespace ydl::ui
