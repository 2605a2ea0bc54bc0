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
// Cuts a stream of bytes into frames. Pure. A length meets the limit before any memory is taken for it.
class FrameReader {
 public:
  explicit FrameReader(std::uint32_t max_frame) : max_frame_(max_frame) {}

  // From the next frame on.
  void set_limit(std::uint32_t max_frame) { max_frame_ = max_frame; }

  void feed(std::string_view bytes);

  // The next whole frame without its length, or nothing yet. Errors: corrupt (zero, negative or over the limit),
  // not_hadoop (the first bytes are those of another protocol).
  [[nodiscard]] core::Result<std::optional<std::string>> next();

  [[nodiscard]] std::size_t buffered() const { return buffer_.size() - start_; }

 private:
  std::uint32_t max_frame_;
  std::string buffer_;
  std::size_t start_ = 0;  // what lies before it has been handed out
  bool is_first_ = true;
};

// `payload` with its length before it.
[[nodiscard]] std::string encode_frame(std::string_view payload);

// Protobuf's "delimited" form: varint length | bytes. An empty message is the one byte 0.
void append_delimited(std::string& out, std::string_view message);

// Takes one delimited message off the front of `bytes`; nothing when there is no whole one.
[[nodiscard]] std::optional<std::string_view> take_delimited(std::string_view& bytes);

}  // namespace ydl::hrpc
