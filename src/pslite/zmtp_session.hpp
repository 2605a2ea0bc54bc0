#pragma once

#include "core/result.hpp"
#include "pslite/zmtp_codec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ydl::pslite::zmtp {

enum class SocketType { dealer, router };

// The protocol of one connection: the greeting, the exchange of READY, then messages. Pure: the driver writes
// first_bytes(), passes received bytes to feed(), and writes its output.
//
//   greeting ──peer's greeting──> handshake ──peer's READY──> open ──> messages
//       └──────────────────── anything wrong: Error, close ───────────┘
class Session {
 public:
  struct Step {
    std::string output = {};  // bytes to send to the peer
    bool opened = false;      // these bytes contained the peer's READY
    std::vector<Message> messages = {};
  };

  // `own` is the type of our socket, `identity` the identity in our READY (may be empty).
  Session(SocketType own, std::string identity, Limits limits = {});

  [[nodiscard]] static std::string first_bytes() { return encode_greeting(); }

  // Errors: corrupt (violation of the protocol), refused (the peer sent ERROR or has the wrong type).
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
