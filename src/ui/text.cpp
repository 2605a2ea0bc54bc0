#include "ui/text.hpp"

#include "core/strings.hpp"
#include "ui/width_table.hpp"

#include <algorithm>
#include <span>

namespace ydl::ui {
namespace {

constexpr int kTabStop = 8;

struct Point {
  char32_t value = 0;
  std::size_t bytes = 1;
};

// The first code point of valid UTF-8. A byte that starts none counts as one: callers may pass text we did not clean.
Point first_point(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[i])); };
  const char32_t lead = at(0);
  const std::size_t bytes = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (bytes == 1 || text.size() < bytes) return {lead, 1};
  char32_t value = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) value = (value << 6U) | (at(i) & 0x3FU);
  return {value, bytes};
}

bool in_ranges(char32_t point, std::span<const PointRange> ranges) {
  const auto after = std::ranges::upper_bound(ranges, point, {}, &PointRange::first);
  return after != ranges.begin() && point <= std::prev(after)->last;
}

int point_width(char32_t point) {
  if (point < 0x300) return 1;  // everything below the first combining mark
  if (in_ranges(point, zero_width_ranges())) return 0;
  return in_ranges(point, double_width_ranges()) ? 2 : 1;
}

// C1 controls, which many terminals obey when they come as UTF-8, and what reorders or hides text around it.
bool is_unwelcome(char32_t point) {
  return (point >= 0x80 && point < 0xA0) || point == 0x61C || point == 0x200E || point == 0x200F ||
         (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) || point == 0xFEFF ||
         (point >= 0xE0000 && point <= 0xE007F);
}

// How many bytes the escape sequence at the start of `text` (its first byte is ESC) takes. One that was cut off
// takes the rest.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  const auto is_final = [](char c) { return c >= 0x40 && c <= 0x7E; };
  switch (text[1]) {
    case '[': {  // CSI: parameters, then one final byte
      std::size_t at = 2;
      while (at < text.size() && text[at] >= 0x20 && text[at] < 0x40) ++at;
      return at < text.size() && is_final(text[at]) ? at + 1 : at;
    }
    case ']':
    case 'P':
    case '_':
    case '^':
    case 'X': {  // strings, such as a window title, up to BEL or ESC backslash
      const auto end = text.find_first_of("\a\x1b", 2);
      if (end == std::string_view::npos) return text.size();
      return text[end] == '\a' ? end + 1 : std::min(end + 2, text.size());
    }
    default: {  // ESC, intermediates, one final byte
      std::size_t at = 1;
      while (at < text.size() && text[at] >= 0x20 && text[at] < 0x30) ++at;
      return std::min(at + 1, text.size());
    }
  }
}

std::string without_escapes(std::string_view bytes) {
  std::string kept;
  kept.reserve(bytes.size());
  while (!bytes.empty()) {
    if (bytes[0] == '\x1b') {
      bytes.remove_prefix(escape_length(bytes));
      continue;
    }
    const auto next = bytes.find('\x1b');
    kept += bytes.substr(0, next);
    bytes.remove_prefix(std::min(next, bytes.size()));
  }
  return kept;
}

// What a terminal still shows of text that returned to the start of its line. "\r\n" is an end of line, not a return.
std::string_view after_carriage_returns(std::string_view line) {
  while (line.ends_with('\r') || line.ends_with('\n')) line.remove_suffix(1);
  auto last = line.rfind('\r');
  while (last != std::string_view::npos && line[last + 1] == '\n') {
    last = last == 0 ? std::string_view::npos : line.rfind('\r', last - 1);
  }
  return last == std::string_view::npos ? line : line.substr(last + 1);
}

}  // namespace

std::string clean(std::string_view bytes) {
  std::string line = without_escapes(bytes);
  line = std::string(after_carriage_returns(line));
  std::ranges::replace(line, '\n', ' ');
  line = core::printable(line);
  std::string text;
  text.reserve(line.size());
  int column = 0;
  for (std::string_view rest = line; !rest.empty();) {
    const auto point = first_point(rest);
    if (point.value == '\t') {
      const int spaces = kTabStop - column % kTabStop;
      text.append(static_cast<std::size_t>(spaces), ' ');
      column += spaces;
    } else if (!is_unwelcome(point.value)) {
      text += rest.substr(0, point.bytes);
      column += point_width(point.value);
    }
    rest.remove_prefix(point.bytes);
  }
  return text;
}

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const auto point = first_point(text);
    width += point_width(point.value);
    text.remove_prefix(point.bytes);
  }
  return width;
}

std::string_view fit_prefix(std::string_view text, int columns) {
  std::size_t end = 0;
  int width = 0;
  while (end < text.size()) {
    const auto point = first_point(text.substr(end));
    width += point_width(point.value);
    if (width > columns) break;
    end += point.bytes;
  }
  return text.substr(0, end);
}

std::string cut(std::string_view text, int columns, std::string_view ellipsis) {
  if (columns <= 0) return {};
  const auto whole = fit_prefix(text, columns);
  if (whole.size() == text.size()) return std::string(text);
  const int mark = display_width(ellipsis);
  if (mark >= columns) return std::string(whole);
  return std::string(fit_prefix(text, columns - mark)).append(ellipsis);
}

std::string pad_right(std::string_view text, int columns) {
  const int missing = std::max(0, columns - display_width(text));
  return std::string(text).append(static_cast<std::size_t>(missing), ' ');
}

std::string pad_left(std::string_view text, int columns) {
  const int missing = std::max(0, columns - display_width(text));
  return std::string(static_cast<std::size_t>(missing), ' ').append(text);
}

}  // namespace ydl::ui
