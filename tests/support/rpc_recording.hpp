#pragma once

#include "core/files.hpp"
#include "hrpc/frame_codec.hpp"
#include "hrpc/token.hpp"
#include "support/hex.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::test {

// A read of a recorded connection (tests/wire/hrpc).
struct Recorded {
  bool from_client = false;
  std::string bytes;
};

inline std::vector<Recorded> recording(const std::string& name) {
  const auto text = core::read_file(std::string(YDL_WIRE_DIR) + "/hrpc/" + name + ".hex");
  if (!text) throw std::runtime_error(text.error().message);
  std::vector<Recorded> reads;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    reads.push_back({line.starts_with("C>S"), ydl::testing::from_hex(line.substr(4))});
  }
  return reads;
}

// All bytes that one side sent.
inline std::string said(const std::vector<Recorded>& reads, bool from_client) {
  std::string all;
  for (const auto& read : reads) {
    if (read.from_client == from_client) all += read.bytes;
  }
  return all;
}

inline std::vector<std::string> frames_of(std::string_view bytes) {
  hrpc::FrameReader reader(1U << 20U);
  reader.feed(bytes);
  std::vector<std::string> frames;
  for (;;) {
    auto frame = reader.next();
    if (!frame) throw std::runtime_error(frame.error().message);
    if (!*frame) break;
    frames.push_back(**std::move(frame));
  }
  if (reader.buffered() != 0) throw std::runtime_error("half a frame at the end");
  return frames;
}

// The token used in the recordings.
inline hrpc::Token recorded_token() {
  return {.identifier = ydl::testing::from_hex("0005616c696365047961726e008a018bcfe568008a018bf3f1ec000703"),
          .password = "0123456789abcdefghij",
          .kind = "HDFS_DELEGATION_TOKEN",
          .service = "127.0.0.1:8020"};
}

inline constexpr std::size_t kPreambleSize = 7;

}  // namespace ydl::test
