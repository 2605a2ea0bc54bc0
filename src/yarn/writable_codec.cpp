#include "yarn/writable_codec.hpp"

namespace ydl::yarn {
namespace {

constexpr std::int64_t kSmallest = -112;
constexpr std::int64_t kLargest = 127;
constexpr int kPositiveBase = -112;  // first byte = base - number of bytes that follow
constexpr int kNegativeBase = -120;

std::unexpected<core::Error> cut_off() {
  return core::fail(core::Errc::corrupt, "it is truncated");
}

}  // namespace

std::string encode_vlong(std::int64_t value) {
  if (value >= kSmallest && value <= kLargest) return {static_cast<char>(value)};
  const int base = value < 0 ? kNegativeBase : kPositiveBase;
  const auto bits = static_cast<std::uint64_t>(value < 0 ? ~value : value);
  int size = 1;
  while (size < 8 && (bits >> (8 * size)) != 0) ++size;
  std::string bytes{static_cast<char>(base - size)};
  for (int i = size - 1; i >= 0; --i) bytes.push_back(static_cast<char>((bits >> (8 * i)) & 0xffU));
  return bytes;
}

std::string encode_sized(std::string_view bytes) {
  return encode_vlong(static_cast<std::int64_t>(bytes.size())).append(bytes);
}

std::string encode_configuration(const std::map<std::string, std::string>& values) {
  constexpr std::string_view kNoFiles = "\xff\xff\xff\xff";
  auto bytes = encode_vlong(static_cast<std::int64_t>(values.size()));
  for (const auto& [key, value] : values) bytes.append(encode_sized(key)).append(encode_sized(value)).append(kNoFiles);
  return bytes;
}

core::Result<std::int64_t> take_vlong(std::string_view& rest) {
  if (rest.empty()) return cut_off();
  const int byte = static_cast<unsigned char>(rest.front());
  const int first = byte < 128 ? byte : byte - 256;
  rest.remove_prefix(1);
  if (first >= kSmallest) return first;
  const bool negative = first < kNegativeBase;
  const auto size = static_cast<std::size_t>((negative ? kNegativeBase : kPositiveBase) - first);
  if (rest.size() < size) return cut_off();
  std::uint64_t bits = 0;
  for (const char next : rest.substr(0, size)) bits = (bits << 8U) | static_cast<unsigned char>(next);
  rest.remove_prefix(size);
  return static_cast<std::int64_t>(negative ? ~bits : bits);
}

core::Result<std::size_t> take_count(std::string_view& rest) {
  const auto count = take_vlong(rest);
  if (!count) return core::fail(count.error());
  if (*count < 0 || static_cast<std::uint64_t>(*count) > rest.size()) return cut_off();
  return static_cast<std::size_t>(*count);
}

core::Result<std::string_view> take_sized(std::string_view& rest) {
  const auto size = take_count(rest);
  if (!size) return core::fail(size.error());
  const auto bytes = rest.substr(0, *size);
  rest.remove_prefix(*size);
  return bytes;
}

}  // namespace ydl::yarn
