#include "core/utf8.hpp"

#include "core/strings.hpp"

#include <string_view>

#include <fmt/format.h>

namespace ydl::core {

std::string replace_invalid_utf8(std::string text) {
  std::string clean;
  std::string_view rest(text);
  std::size_t good = 0;  // the number of valid bytes at the start of `rest`
  while (good < rest.size()) {
    if (const auto length = utf8_length(rest.substr(good)); length > 0) {
      good += length;
      continue;
    }
    clean.append(rest.substr(0, good)).append("\xEF\xBF\xBD");
    rest.remove_prefix(good + 1);
    good = 0;
  }
  if (clean.empty()) return text;
  return clean.append(rest);
}

std::string escaped(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const auto length = utf8_length(bytes);
    const auto piece = bytes.substr(0, length == 0 ? 1 : length);
    const auto lead = static_cast<unsigned char>(piece[0]);
    // U+0080 to U+009F are controls too: U+009B starts an escape sequence on some terminals.
    const bool c1_control = length == 2 && lead == 0xC2 && static_cast<unsigned char>(piece[1]) < 0xA0;
    const bool plain = length == 1 ? lead >= 0x20 && lead != 0x7F : length > 1 && !c1_control;
    if (plain) {
      text += piece;
    } else {
      for (const char byte : piece) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    bytes.remove_prefix(piece.size());
  }
  return text;
}

std::string escaped_lines(std::string_view text) {
  std::string lines;
  for (const auto line : split(text, '\n')) {
    if (line.data() != text.data()) lines += '\n';
    lines += escaped(line);
  }
  return lines;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // do not cut a character
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace ydl::core
