#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace ydl::testing {

// Decodes hexadecimal bytes. Spaces and line ends are ignored.
[[nodiscard]] inline std::string from_hex(std::string_view text) {
  std::string bytes;
  int high = -1;
  for (const char c : text) {
    if (c == ' ' || c == '\n') continue;
    const auto digit = std::string_view("0123456789abcdef").find(c);
    if (digit == std::string_view::npos) throw std::invalid_argument("not hexadecimal");
    if (high < 0) {
      high = static_cast<int>(digit);
    } else {
      bytes.push_back(static_cast<char>(high * 16 + static_cast<int>(digit)));
      high = -1;
    }
  }
  if (high >= 0) throw std::invalid_argument("half a byte");
  return bytes;
}

}  // namespace ydl::testing
