#pragma once

#include "core/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ydl::hrpc {

// Everything after the preamble, in both directions, is
//
//   u32 big-endian length | that many bytes
//
// Splits a stream of bytes into frames. Pure. Each length is checked against the limit before memory is allocated.
class FrameReader {
 public:
  explicit FrameReader(std::uint32_t max_frame) : max_frame_(max_frame) {}

  // Takes effect with the next frame.
  void set_limit(std::uint32_t max_frame) { max_frame_ = max_frame; }

  void feed(std::string_view bytes);

  // The next complete frame without its length, or nothing if more bytes are needed. Errors: corrupt (the length is
  // zero, negative or above the limit), not_hadoop (the first bytes belong to another protocol).
  [[nodiscard]] core::Result<std::optional<std::string>> next();

  [[nodiscard]] std::size_t buffered() const { return buffer_.size() - start_; }

 private:
  std::uint32_t max_frame_;
  std::string buffer_;
  std::size_t start_ = 0;  // bytes before this index were already returned
  bool is_first_ = true;
};

// `payload` with its length in front.
[[nodiscard]] std::string encode_frame(std::string_view payload);

// Protobuf's "delimited" form: varint length | bytes. An empty message is the one byte 0.
void append_delimited(std::string& out, std::string_view message);

// Removes one delimited message from the front of `bytes` and returns it; nothing if it is incomplete.
[[nodiscard]] std::optional<std::string_view> take_delimited(std::string_view& bytes);

}  // namespace ydl::hrpc
