#include "pslite/zmtp_session.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// The first byte chooses the side and the size of the pieces. The result must not depend on the division of the bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ydl::pslite::zmtp;
  if (size == 0) return 0;
  const SocketType own = (data[0] & 1U) != 0 ? SocketType::dealer : SocketType::router;
  const std::size_t piece = 1 + (data[0] >> 1U);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr Limits kLimits{.frame_bytes = 4096, .message_frames = 4, .command_bytes = 512};

  Session whole(own, "ps1", kLimits);
  const auto expected = whole.feed(bytes);

  Session cut(own, "ps1", kLimits);
  bool failed = false;
  std::size_t messages = 0;
  for (std::size_t at = 0; at < bytes.size() && !failed; at += piece) {
    const auto step = cut.feed(bytes.substr(at, piece));
    failed = !step;
    if (step) messages += step->messages.size();
    if (cut.buffered() > kLimits.frame_bytes + kLimits.command_bytes + 2 * piece + 64) std::abort();
  }
  if (failed == expected.has_value()) std::abort();
  if (expected && (messages != expected->messages.size() || cut.peer_identity() != whole.peer_identity())) std::abort();
  return 0;
}
