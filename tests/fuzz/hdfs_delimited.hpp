#pragma once

#include "core/assert.hpp"
#include "hdfs/transfer_codec.hpp"

#include <cstddef>
#include <cstdint>

// The decoder returns for any bytes, and what it accepts survives encoding and decoding.
template <class Message>
int check_delimited(const std::uint8_t* data, std::size_t size) {
  using namespace ydl::hdfs;
  const auto decoded = decode_delimited<Message>({reinterpret_cast<const char*>(data), size});
  if (!decoded) {
    YDL_ASSERT(!decoded.error().message.empty());
    return 0;
  }
  if (!*decoded) return 0;
  YDL_ASSERT((*decoded)->size <= size);
  const auto bytes = encode_delimited((*decoded)->message);
  const auto again = decode_delimited<Message>(bytes);
  YDL_ASSERT(again.has_value() && again->has_value() && (*again)->size == bytes.size());
  YDL_ASSERT(encode_delimited((*again)->message) == bytes);
  return 0;
}
