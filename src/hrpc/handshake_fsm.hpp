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
  std::string server_host = {};  // the host to connect to; replaces _HOST in principals
  KerberosFactory kerberos = nullptr;
  std::string client_nonce = {};  // for DIGEST-MD5; empty: random
};

// The start of a connection, until client and server are authenticated. Pure: the driver writes first_bytes(), passes
// each received frame to on_frame() and writes its result, until done().
//
//   no token, no Kerberos          preamble ──────────────────────────────────────────────────────────> done (SIMPLE)
//   else   preamble, NEGOTIATE ──> offered ──INITIATE──> exchanging ──CHALLENGE/RESPONSE...──SUCCESS──> done
//                                     └── no authentication needed, or only SIMPLE in common ──────> done (SIMPLE)
class HandshakeFsm {
 public:
  explicit HandshakeFsm(HandshakeOptions options);

  [[nodiscard]] std::string first_bytes();

  // The bytes to write after a received frame; may be empty. Errors: unauthenticated, security_refused, corrupt, and
  // those of the server's exceptions (standby, invalid_token, access_denied).
  [[nodiscard]] core::Result<std::string> on_frame(std::string_view frame);

  [[nodiscard]] bool done() const { return state_ == State::done; }

  // After done(): the user for the connection context.
  [[nodiscard]] Caller caller() const;
  // After done(): the mechanism that protects the following bytes; null if they are not protected.
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
  int frames_ = 0;  // received from the server
  Method method_ = Method::simple;
  std::unique_ptr<sasl::Mechanism> mechanism_;
};

}  // namespace ydl::hrpc
