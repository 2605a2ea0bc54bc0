#pragma once

#include "hrpc/frame_codec.hpp"
#include "hrpc/handshake_fsm.hpp"
#include "hrpc/message_codec.hpp"
#include "hrpc/method.hpp"
#include "hrpc/options.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::hrpc {

// The largest frame that is accepted before the server is authenticated. No handshake message needs more.
inline constexpr std::uint32_t kLargestHandshakeFrame = 1U << 20U;

struct SessionOptions {
  ClientId client = {};
  HandshakeOptions handshake = {};
  std::string protocol = {};  // the Java interface, sent in the connection context
  std::uint32_t max_response = 0;
};

// The protocol of one connection: the handshake, then calls and their answers in any order, wrapped if SASL protects
// them. Pure: the driver writes `output` and passes received bytes to feed().
//
//   WRAP: with integrity or privacy every frame, in both directions, is a SASL frame whose token is
//   wrap(bytes of the plain stream): several frames, one, or a piece of one.
class SessionFsm {
 public:
  struct Answer {
    CallId id;
    core::Result<std::string> result;
  };
  struct Step {
    std::string output = {};
    std::vector<Answer> answers = {};
    // set: the connection must be closed and all waiting calls must fail
    std::optional<core::Error> failure = std::nullopt;
  };

  explicit SessionFsm(SessionOptions options);

  [[nodiscard]] std::string start();
  [[nodiscard]] Step feed(std::string_view bytes);

  // Whether calls and pings may be sent.
  [[nodiscard]] bool open() const { return open_; }
  [[nodiscard]] core::Result<std::string> send(CallKey key, const Method& method, std::string_view request);
  [[nodiscard]] core::Result<std::string> ping();

 private:
  [[nodiscard]] core::Result<void> on_frame(std::string_view frame, Step& step);
  [[nodiscard]] core::Result<void> on_wrapped(std::string_view frame, Step& step);
  [[nodiscard]] core::Result<void> on_answer(std::string_view frame, Step& step);
  [[nodiscard]] core::Result<std::string> begin_calls();
  [[nodiscard]] core::Result<std::string> protect(std::string plain);

  SessionOptions options_;
  HandshakeFsm handshake_;
  FrameReader outer_;
  FrameReader inner_;  // for the unwrapped stream
  std::unique_ptr<sasl::Mechanism> protection_;
  bool open_ = false;
};

}  // namespace ydl::hrpc
