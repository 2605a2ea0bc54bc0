#pragma once

#include "core/result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

// Hadoop's older serialisation "Writable", which credentials and some token identifiers use.
namespace ydl::yarn {

// An integer in 1 to 9 bytes; not protobuf's varint:
//
//   -112..127      the byte itself
//   0x8f..0x88     positive: 1..8 bytes follow, big-endian
//   0x87..0x80     negative: 1..8 bytes follow, the one's complement, big-endian
[[nodiscard]] std::string encode_vlong(std::int64_t value);
// A length as vlong, then the bytes; used for "Text" and for byte arrays.
[[nodiscard]] std::string encode_sized(std::string_view bytes);
// A Configuration: count, (key, value, source files)...; -1 means no source files.
[[nodiscard]] std::string encode_configuration(const std::map<std::string, std::string>& values);

// These functions remove the value that they read from the front of `rest`. Errors: corrupt.
[[nodiscard]] core::Result<std::int64_t> take_vlong(std::string_view& rest);
[[nodiscard]] core::Result<std::string_view> take_sized(std::string_view& rest);
// The number of elements that follow; an error if it is larger than the number of remaining bytes.
[[nodiscard]] core::Result<std::size_t> take_count(std::string_view& rest);

}  // namespace ydl::yarn
