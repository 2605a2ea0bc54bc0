#include "ui/line.hpp"

#include "ui/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace ydl::ui {
namespace {

std::string_view escape(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return "";
    case Tone::bold:
      return "\x1b[1m";
    case Tone::dim:
      return "\x1b[2m";
    case Tone::red:
      return "\x1b[31m";
    case Tone::green:
      return "\x1b[32m";
    case Tone::yellow:
      return "\x1b[33m";
    case Tone::cyan:
      return "\x1b[36m";
  }
  return "";
}

std::string toned(std::string_view text, Tone tone, const Style& style) {
  if (style.colour == Colour::off || tone == Tone::plain || text.empty()) return std::string(text);
  return std::string(escape(tone)).append(text).append("\x1b[0m");
}

bool names_utf8(std::string_view locale) {
  std::string letters;
  for (const char c : locale) {
    if (c != '-') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return letters.find("utf8") != std::string::npos;
}

}  // namespace

Style terminal_style(const core::Getenv& getenv) {
  const bool plain = !getenv("NO_COLOR").value_or("").empty() || getenv("TERM").value_or("dumb") == "dumb";
  Style style{.colour = plain ? Colour::off : Colour::on, .charset = Charset::ascii};
  for (const char* name : std::array{"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto value = getenv(name).value_or("");
    if (value.empty()) continue;
    if (names_utf8(value)) style.charset = Charset::unicode;
    break;
  }
  return style;
}

Line& Line::add(std::string_view text, Tone tone) {
  pieces_.push_back({clean(text), tone});
  width_ += display_width(pieces_.back().text);
  return *this;
}

std::string Line::whole(const Style& style) const {
  std::string out;
  for (const auto& piece : pieces_) out += toned(piece.text, piece.tone, style);
  return out;
}

std::string Line::cut_to(int columns, const Style& style) const {
  if (width_ <= columns) return whole(style);
  const int mark = display_width(style.ellipsis());
  const bool marked = mark < columns;
  int room = std::max(0, marked ? columns - mark : columns);
  std::string out;
  for (const auto& piece : pieces_) {
    const auto kept = fit_prefix(piece.text, room);
    out += toned(kept, piece.tone, style);
    room -= display_width(kept);
    if (kept.size() < piece.text.size()) break;
  }
  return marked ? out.append(style.ellipsis()) : out;
}

}  // namespace ydl::ui
