#include "spec/problems.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::spec {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  const bool is_long = text.size() > kLongest;
  // Does not cut a character: bytes of the form 10xxxxxx continue one.
  std::size_t cut = std::min(text.size(), kLongest);
  while (is_long && cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80) --cut;
  return fmt::format("'{}{}'", core::printable(text.substr(0, cut)), is_long ? "..." : "");
}

core::Error problem_at(std::string_view file_name, int line, std::string_view sentence) {
  return {make_error_code(core::Errc::usage), fmt::format("{}:{}: {}", core::printable(file_name), line, sentence)};
}

void Problems::add(int line, std::string sentence) {
  by_line_.emplace(line, std::move(sentence));
}

core::Error Problems::to_error() const {
  std::string message;
  std::size_t shown = 0;
  for (const auto& [line, sentence] : by_line_) {
    if (shown > 0) message += '\n';
    if (shown == kShown) {
      message += fmt::format("and {} more", by_line_.size() - shown);
      break;
    }
    message += problem_at(file_name_, line, sentence).message;
    ++shown;
  }
  return {make_error_code(core::Errc::usage), std::move(message)};
}

}  // namespace ydl::spec
