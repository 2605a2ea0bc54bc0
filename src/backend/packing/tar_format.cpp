#include "backend/packing/tar_format.hpp"

#include "core/assert.hpp"

#include <string_view>

#include <fmt/format.h>

// A header is one block:
//
//   0 name 100 | 100 mode 8 | 108 uid 8 | 116 gid 8 | 124 size 12 | 136 mtime 12 | 148 checksum 8 | 156 kind 1 |
//   157 link target 100 | 257 "ustar\0" "00" | 265 user 32 | 297 group 32 | 329 device 8+8 | 345 prefix 155 | 12 zeros
//
// Numbers are octal digits followed by a NUL.
namespace ydl::backend {
namespace {

constexpr std::size_t kNameField = 100;
constexpr std::uint64_t kLargestSize = (1ULL << 33U) - 1;  // eleven octal digits
// 1980, because old versions of tar warn of 1970, and zip files cannot contain it.
constexpr std::uint64_t kTime = 315'532'800;

enum class Type : char { file = '0', link = '2', directory = '5', pax = 'x' };

void put(std::string& block, std::size_t at, std::string_view text) {
  block.replace(at, text.size(), text);
}

void put_number(std::string& block, std::size_t at, std::size_t width, std::uint64_t value) {
  put(block, at, fmt::format("{:0{}o}", value, width - 1));
}

std::string header_block(std::string_view name, Type type, std::uint32_t mode, std::uint64_t size,
                         std::string_view link_target) {
  std::string block(kTarBlock, '\0');
  put(block, 0, name.substr(0, kNameField));
  put_number(block, 100, 8, mode);
  put_number(block, 108, 8, 0);
  put_number(block, 116, 8, 0);
  put_number(block, 124, 12, size > kLargestSize ? 0 : size);
  put_number(block, 136, 12, kTime);
  put(block, 148, "        ");  // the checksum is computed with blanks in its own field
  block[156] = static_cast<char>(type);
  put(block, 157, link_target.substr(0, kNameField));
  put(block, 257,
      std::string_view("ustar\0"
                       "00",
                       8));
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(block, 148, fmt::format("{:06o}", sum));
  block[154] = '\0';
  return block;
}

// "LENGTH KEY=VALUE\n", where the length includes its own digits.
std::string pax_record(std::string_view key, std::string_view value) {
  const std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + 1;
  while (fmt::formatted_size("{}", length) + rest != length) ++length;
  return fmt::format("{} {}={}\n", length, key, value);
}

Type type_of(TarEntry::Kind kind) {
  switch (kind) {
    case TarEntry::Kind::directory:
      return Type::directory;
    case TarEntry::Kind::link:
      return Type::link;
    case TarEntry::Kind::file:
      break;
  }
  return Type::file;
}

}  // namespace

std::string tar_header(const TarEntry& entry) {
  YDL_ASSERT(!entry.name.empty() && (entry.kind == TarEntry::Kind::file || entry.size == 0));
  const auto name = entry.kind == TarEntry::Kind::directory ? entry.name + "/" : entry.name;
  std::string records;
  if (name.size() > kNameField) records += pax_record("path", name);
  if (entry.link_target.size() > kNameField) records += pax_record("linkpath", entry.link_target);
  if (entry.size > kLargestSize) records += pax_record("size", fmt::format("{}", entry.size));
  std::string header;
  if (!records.empty()) {
    header = header_block("PaxHeaders/long", Type::pax, 0644, records.size(), "");
    header += records;
    header.append(tar_padding(records.size()), '\0');
  }
  return header + header_block(name, type_of(entry.kind), entry.mode & 07777U, entry.size, entry.link_target);
}

std::size_t tar_padding(std::uint64_t size) {
  return static_cast<std::size_t>((kTarBlock - size % kTarBlock) % kTarBlock);
}

}  // namespace ydl::backend
