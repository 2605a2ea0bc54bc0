#include "hrpc/frame_codec.hpp"
#include "hrpc/message_codec.hpp"
#include "hrpc/proto/rpc_header.pb.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

using namespace ydl::hrpc;

struct Outcome {
  std::vector<std::string> frames;
  bool failed = false;
  bool operator==(const Outcome&) const = default;
};

Outcome read_in_pieces(std::string_view bytes, std::size_t piece) {
  constexpr std::uint32_t kLimit = 4096;
  FrameReader reader(kLimit);
  Outcome outcome;
  for (std::size_t at = 0; at < bytes.size() && !outcome.failed; at += piece) {
    reader.feed(bytes.substr(at, piece));
    for (;;) {
      auto frame = reader.next();
      outcome.failed = !frame;
      if (!frame || !*frame) break;
      outcome.frames.push_back(**std::move(frame));
    }
    if (!outcome.failed && reader.buffered() > kLimit + 4) std::abort();
  }
  return outcome;
}

}  // namespace

// The first byte is the size of the pieces. The result must not depend on the division of the bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome whole = read_in_pieces(bytes, size);
  if (read_in_pieces(bytes, 1U + data[0]) != whole) std::abort();
  for (const std::string& frame : whole.frames) {
    const auto response = decode_response(frame);
    if (response && response->id == kSaslCall) (void)decode_sasl(response->body);
  }
  return 0;
}
