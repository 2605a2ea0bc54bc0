#include "files/tar_reader.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace ydl::files {
namespace {

using core::Errc;
using core::fail;
using core::Result;

constexpr std::size_t kBlock = 512;
constexpr std::size_t kLongestName = 4000;
constexpr std::size_t kDeepest = 100;
constexpr std::uint64_t kLargestHeader = 64 << 10U;
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 46U;

using Block = std::array<char, kBlock>;

std::string_view text_at(const Block& block, std::size_t at, std::size_t width) {
  const std::string_view field(block.data() + at, width);
  return field.substr(0, std::min(field.find('\0'), width));
}

std::optional<std::uint64_t> octal_at(const Block& block, std::size_t at, std::size_t width) {
  const auto digits = core::trim(text_at(block, at, width));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

bool has_right_checksum(const Block& block) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i)
    sum += i >= 148 && i < 156 ? static_cast<unsigned char>(' ') : static_cast<unsigned char>(block[i]);
  return octal_at(block, 148, 8) == sum;
}

core::Error damaged(std::string_view what) {
  return {Errc::corrupt, fmt::format("the archive is damaged: {}", what)};
}

}  // namespace

bool is_inside(std::string_view name) {
  if (name.empty() || name.size() > kLongestName || name.find('\0') != std::string_view::npos) return false;
  const auto parts = core::split(name, '/');
  return parts.size() <= kDeepest &&
         std::ranges::none_of(parts, [](std::string_view part) { return part.empty() || part == "." || part == ".."; });
}

Result<void> TarReader::fill(std::span<char> block) {
  while (!block.empty()) {
    const auto size = source_(block);
    if (!size) return fail(size.error());
    if (*size == 0) return fail(damaged("it is cut off"));
    block = block.subspan(*size);
  }
  return {};
}

Result<void> TarReader::skip(std::uint64_t bytes) {
  std::array<char, 16 << 10U> buffer{};
  while (bytes > 0) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, buffer.size()));
    if (auto filled = fill(std::span(buffer).first(size)); !filled) return filled;
    bytes -= size;
  }
  return {};
}

// Records "LENGTH KEY=VALUE\n".
Result<TarReader::LongFields> TarReader::read_long_fields(std::uint64_t size) {
  if (size > kLargestHeader) return fail(damaged("a header is too long"));
  std::string text(static_cast<std::size_t>(size), '\0');
  if (auto filled = fill(text); !filled) return fail(filled.error());
  if (auto skipped = skip((kBlock - size % kBlock) % kBlock); !skipped) return fail(skipped.error());
  LongFields fields;
  for (std::string_view rest = text; !rest.empty();) {
    const auto blank = rest.find(' ');
    const auto length = blank == rest.npos ? std::nullopt : core::parse_int<std::size_t>(rest.substr(0, blank));
    if (!length || *length > rest.size() || *length < blank + 3 || rest[*length - 1] != '\n')
      return fail(damaged("a long header has a wrong length"));
    const auto record = rest.substr(blank + 1, *length - blank - 2);
    rest.remove_prefix(*length);
    const auto equals = record.find('=');
    if (equals == record.npos) return fail(damaged("a long header has no value"));
    const auto key = record.substr(0, equals);
    const auto value = record.substr(equals + 1);
    if (key == "path") fields.name = std::string(value);
    if (key == "linkpath") fields.link_target = std::string(value);
    if (key == "size") {
      fields.size = core::parse_int<std::uint64_t>(value);
      if (!fields.size) return fail(damaged("a size is not a number"));
    }
  }
  return fields;
}

Result<std::optional<TarMember>> TarReader::next() {
  if (auto skipped = skip(left_ + padding_); !skipped) return fail(skipped.error());
  left_ = padding_ = 0;
  LongFields longer;
  for (;;) {
    Block block{};
    if (auto filled = fill(block); !filled) return fail(filled.error());
    if (std::ranges::all_of(block, [](char c) { return c == '\0'; })) return std::optional<TarMember>();
    if (!has_right_checksum(block)) return fail(damaged("the checksum of a header is wrong"));
    const auto size = octal_at(block, 124, 12);
    const auto mode = octal_at(block, 100, 8);
    if (!size || !mode || *size > kLargestFile) return fail(damaged("a header has a wrong number"));
    const char type = block[156];
    if (type == 'x') {
      auto fields = read_long_fields(*size);
      if (!fields) return fail(fields.error());
      longer = *std::move(fields);
      continue;
    }
    TarMember member;
    const auto prefix = text_at(block, 345, 155);
    member.name =
        longer.name.value_or(fmt::format("{}{}{}", prefix, prefix.empty() ? "" : "/", text_at(block, 0, 100)));
    if (type == '5') {
      member.kind = TarMember::Kind::directory;
      if (member.name.ends_with('/')) member.name.pop_back();
    } else if (type == '2') {
      member.kind = TarMember::Kind::link;
      member.link_target = longer.link_target.value_or(std::string(text_at(block, 157, 100)));
    } else if (type == '0' || type == '\0') {
      member.is_program = (*mode & 0100U) != 0;
      member.size = longer.size.value_or(*size);
      if (member.size > kLargestFile) return fail(damaged("a file is too large"));
      left_ = member.size;
      padding_ = (kBlock - member.size % kBlock) % kBlock;
    } else {
      return fail(damaged(fmt::format("'{}' is neither a file nor a folder nor a link", core::printable(member.name))));
    }
    if (!is_inside(member.name))
      return fail(damaged(fmt::format("'{}' is not a name below its folder", core::printable(member.name))));
    return std::optional(std::move(member));
  }
}

Result<std::size_t> TarReader::read(std::span<char> into) {
  const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(left_, into.size()));
  if (most == 0) return std::size_t{0};
  const auto size = source_(into.first(most));
  if (!size) return size;
  if (*size == 0) return fail(damaged("it is cut off"));
  left_ -= *size;
  return size;
}

}  // namespace ydl::files
