#include "hrpc/handshake_fsm.hpp"

#include "core/assert.hpp"
#include "core/strings.hpp"
#include "core/utf8.hpp"
#include "hrpc/errors.hpp"
#include "hrpc/proto/rpc_header.pb.h"
#include "hrpc/sasl/digest_md5.hpp"

#include <utility>

#include <fmt/format.h>

namespace ydl::hrpc {
namespace {

using hadoop::common::RpcSaslProto;
using SaslAuth = RpcSaslProto::SaslAuth;

constexpr std::size_t kLongestOffer = 200;  // characters of the server's offer in an error message
constexpr int kMostFrames = 16;             // Kerberos needs four frames, DIGEST-MD5 two

bool is(const SaslAuth& auth, std::string_view method, std::string_view mechanism) {
  return auth.method() == method && auth.mechanism() == mechanism;
}

std::string methods_of(const RpcSaslProto& message) {
  std::string names;
  for (const auto& auth : message.auths()) names += (names.empty() ? "" : ", ") + core::printable(auth.method());
  return names.empty() ? "nothing" : core::shortened(names, kLongestOffer);
}

// A server reports Kerberos errors as a line of Java text. A wrong clock is the one cause that the user can fix on this
// machine, so its remedy is added.
core::Error refusal(core::Error error) {
  if (error.message.find("Clock skew") != std::string::npos) {
    error.message += "; this machine's clock differs from the server's by more than Kerberos allows: correct it";
  }
  return error;
}

core::Error cannot_authenticate(const Identity& identity, const RpcSaslProto& message) {
  const std::string_view remedy = identity.security == Security::kerberos
                                      ? "get a delegation token for this service"
                                      : "get a delegation token for this service, or set "
                                        "hadoop.security.authentication to kerberos and get a ticket with kinit";
  return {Errc::unauthenticated, fmt::format("the server accepts {}, but ydl has {}; {}", methods_of(message),
                                             identity.token ? "another kind of token" : "no token", remedy)};
}

}  // namespace

struct HandshakeFsm::Offer {
  SaslAuth auth;
  Method method;
};

HandshakeFsm::HandshakeFsm(HandshakeOptions options) : options_(std::move(options)) {}

std::string HandshakeFsm::first_bytes() {
  YDL_ASSERT(state_ == State::preamble);
  if (!options_.identity.token && options_.identity.security == Security::simple) {
    state_ = State::done;
    return encode_preamble(AuthProtocol::none);
  }
  state_ = State::offered;
  RpcSaslProto negotiate;
  negotiate.set_state(RpcSaslProto::NEGOTIATE);
  return encode_preamble(AuthProtocol::sasl) + encode_sasl(negotiate);
}

core::Result<std::string> HandshakeFsm::on_frame(std::string_view frame) {
  if (++frames_ > kMostFrames)
    return core::fail(Errc::corrupt, "the server sends more handshake messages than any mechanism needs");
  auto response = decode_response(frame);
  if (!response) return core::fail(response.error());
  if (response->status != Status::success) {
    return core::fail(refusal(remote_error(std::move(response->exception), std::move(response->message))));
  }
  if (response->id != kSaslCall) return core::fail(Errc::corrupt, "the server answered a call before the handshake");
  const auto message = decode_sasl(response->body);
  if (!message) return core::fail(message.error());
  switch (state_) {
    case State::offered:
      return on_offer(*message);
    case State::exchanging:
      return on_exchange(*message);
    case State::preamble:
    case State::done:
      break;
  }
  return core::fail(Errc::corrupt, "the server sent a handshake message outside the handshake");
}

// The server requires no authentication, or the only common method is SIMPLE. The following bytes are not protected.
core::Result<std::string> HandshakeFsm::finish_simple() {
  if (options_.identity.security == Security::kerberos && !options_.identity.fallback_to_simple) {
    return core::fail(Errc::security_refused,
                      "the server runs without security, but the configuration requires Kerberos; to use it "
                      "nevertheless, set ipc.client.fallback-to-simple-auth-allowed to true");
  }
  method_ = Method::simple;
  mechanism_.reset();
  state_ = State::done;
  return std::string();
}

core::Result<std::string> HandshakeFsm::on_offer(const RpcSaslProto& message) {
  if (message.state() == RpcSaslProto::SUCCESS) return finish_simple();
  if (message.state() != RpcSaslProto::NEGOTIATE) {
    return core::fail(Errc::corrupt, "the server did not start the handshake with its list of mechanisms");
  }
  auto offer = choose(message);
  if (!offer) return core::fail(offer.error());
  RpcSaslProto initiate;
  initiate.set_state(RpcSaslProto::INITIATE);
  // The server compares this field by field with its offer, and an empty field differs from a missing one. So the offer
  // is copied and only its challenge removed.
  *initiate.add_auths() = offer->auth;
  initiate.mutable_auths(0)->clear_challenge();
  if (offer->method == Method::simple) {
    auto rest = finish_simple();  // the server does not answer SIMPLE, so the context follows immediately
    if (!rest) return rest;
    return encode_sasl(initiate);
  }
  auto token = mechanism_->step(offer->auth.challenge());
  if (!token) return core::fail(token.error());
  initiate.set_token(*std::move(token));
  method_ = offer->method;
  state_ = State::exchanging;
  return encode_sasl(initiate);
}

// Chooses the first of the server's offers for which we have credentials.
core::Result<HandshakeFsm::Offer> HandshakeFsm::choose(const RpcSaslProto& message) {
  for (const auto& auth : message.auths()) {
    if (is(auth, "TOKEN", "DIGEST-MD5") && options_.identity.token) {
      mechanism_ = sasl::make_digest_md5({.credentials = sasl::digest_credentials(*options_.identity.token),
                                          .digest_uri = fmt::format("{}/{}", auth.protocol(), auth.serverid()),
                                          .protections = options_.identity.protections,
                                          .client_nonce = options_.client_nonce});
      return Offer{auth, Method::token};
    }
    if (is(auth, "KERBEROS", "GSSAPI") && options_.identity.security == Security::kerberos) {
      auto mechanism = start_kerberos({auth.protocol(), auth.serverid()});
      if (!mechanism) return core::fail(mechanism.error());
      mechanism_ = *std::move(mechanism);
      return Offer{auth, Method::kerberos};
    }
    if (auth.method() == "SIMPLE") return Offer{auth, Method::simple};
  }
  return core::fail(cannot_authenticate(options_.identity, message));
}

core::Result<std::unique_ptr<sasl::Mechanism>> HandshakeFsm::start_kerberos(const ServerPrincipal& server) const {
  if (!options_.kerberos)
    return core::fail(Errc::unauthenticated, "the server requires Kerberos, which this program does not support");
  if (auto trusted = check_principal(server, options_.identity, options_.server_host); !trusted) {
    return core::fail(trusted.error());
  }
  return options_.kerberos(server, options_.identity);
}

core::Result<std::string> HandshakeFsm::on_exchange(const RpcSaslProto& message) {
  const bool succeeded = message.state() == RpcSaslProto::SUCCESS;
  if (!succeeded && message.state() != RpcSaslProto::CHALLENGE) {
    return core::fail(Errc::corrupt, "the server sent neither a challenge nor success");
  }
  std::string answer;
  if (!succeeded || message.has_token()) {
    auto stepped = mechanism_->step(message.token());
    if (!stepped) return stepped;
    answer = *std::move(stepped);
  }
  if (succeeded) {
    if (!mechanism_->complete()) {
      return core::fail(Errc::unauthenticated, "the server ended the handshake before it proved its identity");
    }
    state_ = State::done;
    return std::string();
  }
  RpcSaslProto response;
  response.set_state(RpcSaslProto::RESPONSE);
  response.set_token(std::move(answer));  // also if it is empty, because the server expects a token
  return encode_sasl(response);
}

Caller HandshakeFsm::caller() const {
  switch (method_) {
    case Method::token:
      return {};  // the token contains the user; the server would refuse a different name
    case Method::kerberos:
      // The server compares the user with the full principal. A short name would differ from it and count as a request
      // to impersonate this user.
      return options_.identity.real_user.empty() ? Caller{} : Caller{options_.identity.user, {}};
    case Method::simple:
      return {options_.identity.user, options_.identity.real_user};
  }
  std::unreachable();
}

std::unique_ptr<sasl::Mechanism> HandshakeFsm::take_protection() {
  YDL_ASSERT(done());
  if (mechanism_ == nullptr || mechanism_->protection() == Protection::authentication) return nullptr;
  return std::move(mechanism_);
}

}  // namespace ydl::hrpc
