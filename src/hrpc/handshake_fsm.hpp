#pragma once

#include "core/result.hpp"
#include "hrpc/message_codec.hpp"
#include "hrpc/options.hpp"
#include "hrpc/principal.hpp"
#include "hrpc/sasl/mechanism.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace ydl::hrpc {

using KerberosFactory =
    std::function<core::Result<std::unique_ptr<sasl::Mechanism>>(const ServerPrincipal&, const Identity&)>;

struct HandshakeOptions {
  Identity identity = {};
  std::string server_host = {};  // the host we connect to: what _HOST in a principal stands for
  KerberosFactory kerberos = nullptr;
  std::string client_nonce = {};  // of DIGEST-MD5; empty: random
};

// The start of a connection, until both sides know who the other is. Pure: the driver writes first_bytes(), feeds one
// frame after the other, and writes what comes back, until done.
//
//   no token, no Kerberos          preamble ──────────────────────────────────────────────────────────> done (SIMPLE)
//   else   preamble, NEGOTIATE ──> offered ──INITIATE──> exchanging ──CHALLENGE/RESPONSE...──SUCCESS──> done
//                                     └── the server wants nothing, or SIMPLE is all we can use ──────> done (SIMPLE)
class HandshakeFsm {
 public:
  explicit HandshakeFsm(HandshakeOptions options);

  [[nodiscard]] std::string first_bytes();

  // The bytes to write in answer to a frame; may be empty. Errors: unauthenticated, security_refused, corrupt, and what
  // the server's exceptions mean (standby, invalid_token, access_denied).
  [[nodiscard]] core::Result<std::string> on_frame(std::string_view frame);

  [[nodiscard]] bool done() const { return state_ == State::done; }

  // After done: whom the connection context must name.
  [[nodiscard]] Caller caller() const;
  // After done: what protects the bytes; null when nothing does.
  [[nodiscard]] std::unique_ptr<sasl::Mechanism> take_protection();

 private:
  enum class State {
    preamble,    // nothing sent yet
    offered,     // waiting for the server's mechanisms
    exchanging,  // waiting for a challenge or for success
    done,
  };
  enum class Method { simple, token, kerberos };
  struct Offer;

  [[nodiscard]] core::Result<std::string> on_offer(const hadoop::common::RpcSaslProto& message);
  [[nodiscard]] core::Result<std::string> on_exchange(const hadoop::common::RpcSaslProto& message);
  [[nodiscard]] core::Result<std::string> finish_simple();
  [[nodiscard]] core::Result<Offer> choose(const hadoop::common::RpcSaslProto& message);
  [[nodiscard]] core::Result<std::unique_ptr<sasl::Mechanism>> start_kerberos(const ServerPrincipal& server) const;

  HandshakeOptions options_;
  State state_ = State::preamble;
  int frames_ = 0;  // that the server has sent
  Method method_ = Method::simple;
  std::unique_ptr<sasl::Mechanism> mechanism_;
};

}  // namespace ydl::hrpc
