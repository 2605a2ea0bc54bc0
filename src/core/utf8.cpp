#include "core/utf8.hpp"

#include "core/strings.hpp"

#include <string_view>

namespace ydl::core {

std::string replace_invalid_utf8(std::string text) {
  std::string clean;
  std::string_view rest(text);
  std::size_t good = 0;  // bytes at the front of `rest` that are valid
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

}  // namespace ydl::core
