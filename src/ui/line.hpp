#pragma once

#include "core/user.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ydl::ui {

enum class Tone { plain, bold, dim, red, green, yellow, cyan };
enum class Colour { off, on };
enum class Charset { ascii, unicode };

struct Style {
  Colour colour = Colour::off;
  Charset charset = Charset::unicode;

  [[nodiscard]] std::string_view ellipsis() const { return charset == Charset::unicode ? "…" : "..."; }
};

// Colour unless NO_COLOR is set or TERM is dumb; Unicode where the locale's variables name UTF-8.
[[nodiscard]] Style terminal_style(const core::Getenv& getenv = core::process_getenv);

// One line to print, as pieces of text with a tone each, so that it can be measured and cut before escape sequences
// come in. Text is cleaned when it is added.
class Line {
 public:
  Line() = default;
  explicit Line(std::string_view text, Tone tone = Tone::plain) { add(text, tone); }

  Line& add(std::string_view text, Tone tone = Tone::plain);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] std::string whole(const Style& style) const;
  [[nodiscard]] std::string cut_to(int columns, const Style& style) const;

 private:
  struct Piece {
    std::string text;
    Tone tone;
  };
  std::vector<Piece> pieces_;
  int width_ = 0;
};

}  // namespace ydl::ui
