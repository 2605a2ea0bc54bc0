#pragma once

#include "core/result.hpp"
#include "pslite/zmtp_codec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ydl::pslite::zmtp {

enum class SocketType { dealer, router };

// One connection from its first byte: the greeting, the exchange of READY, then messages. Pure: the driver writes
// first_bytes(), feeds what it reads, and writes what comes back.
//
//   greeting ──peer's greeting──> handshake ──peer's READY──> open ──> messages
//       └──────────────────── anything wrong: Error, close ───────────┘
class Session {
 public:
  struct Step {
    std::string output = {};  // to be written to the peer
    bool opened = false;      // the peer's READY came with these bytes
    std::vector<Message> messages = {};
  };

  // `own` is our socket's type, `identity` what our READY carries (may be empty).
  Session(SocketType own, std::string identity, Limits limits = {});

  [[nodiscard]] static std::string first_bytes() { return encode_greeting(); }

  // Errors are Errc::corrupt (not this protocol) or Errc::refused (the peer sent ERROR, or is of the wrong type).
  [[nodiscard]] core::Result<Step> feed(std::string_view bytes);

  [[nodiscard]] bool open() const { return state_ == State::open; }
  [[nodiscard]] const std::string& peer_identity() const { return peer_identity_; }
  [[nodiscard]] std::size_t buffered() const { return decoder_.buffered(); }

 private:
  enum class State { greeting, handshake, open };

  [[nodiscard]] core::Result<void> on(const Greeting& greeting, Step& step);
  [[nodiscard]] core::Result<void> on(const CommandFrame& command, Step& step);
  [[nodiscard]] core::Result<void> on(Message& message, Step& step);

  SocketType own_;
  std::string identity_;
  Decoder decoder_;
  State state_ = State::greeting;
  std::string peer_identity_;
};

}  // namespace ydl::pslite::zmtp
