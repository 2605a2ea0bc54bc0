#include "core/base64.hpp"

#include <array>
#include <cstdint>

namespace ydl::core {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoLetter = 0xff;

constexpr auto kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoLetter);
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    values[static_cast<unsigned char>(kLetters[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}();

std::unexpected<Error> corrupt() {
  return fail(Errc::corrupt, "these bytes are not base64");
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  while (!bytes.empty()) {
    const auto group = bytes.substr(0, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = (bits << 8U) | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text.push_back(i <= group.size() ? kLetters[(bits >> (18U - 6U * i)) & 0x3fU] : '=');
    }
    bytes.remove_prefix(group.size());
  }
  return text;
}

Result<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return corrupt();
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (; !text.empty(); text.remove_prefix(4)) {
    const bool last = text.size() == 4;
    const std::size_t letters = !last || text[3] != '=' ? 4 : text[2] != '=' ? 3 : 2;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const auto value = i < letters ? kValues[static_cast<unsigned char>(text[i])] : std::uint8_t{0};
      if (value == kNoLetter) return corrupt();
      bits = (bits << 6U) | value;
    }
    for (std::size_t i = 0; i + 1 < letters; ++i) bytes.push_back(static_cast<char>(bits >> (16U - 8U * i)));
  }
  return bytes;
}

}  // namespace ydl::core
