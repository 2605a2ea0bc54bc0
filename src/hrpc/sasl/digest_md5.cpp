#include "hrpc/sasl/digest_md5.hpp"

#include "core/assert.hpp"
#include "core/base64.hpp"
#include "core/strings.hpp"
#include "hrpc/errors.hpp"
#include "hrpc/sasl/digest_challenge.hpp"
#include "hrpc/sasl/digest_layer.hpp"
#include "hrpc/sasl/hash.hpp"
#include "hrpc/token.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ydl::hrpc::sasl {
namespace {

constexpr std::string_view kNonceCount = "00000001";  // a nonce is never used for a second authentication
constexpr int kOwnMaxBuffer = 65536;
constexpr std::size_t kIntegrityOverhead = 16;  // MAC, version, count
constexpr std::size_t kPrivacyOverhead = 26;    // the same and the longest padding, rounded up like in the JDK

std::string_view qop_name(Protection protection) {
  switch (protection) {
    case Protection::authentication:
      return "auth";
    case Protection::integrity:
      return "auth-int";
    case Protection::privacy:
      return "auth-conf";
  }
  std::unreachable();
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

std::string in_quotes(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text.push_back('\\');
    text.push_back(c);
  }
  return text + '"';
}

class DigestMd5 final : public Mechanism {
 public:
  explicit DigestMd5(DigestOptions options) : options_(std::move(options)) {
    if (options_.client_nonce.empty()) options_.client_nonce = core::random_hex(20);
    if (options_.ciphers.empty()) options_.ciphers = {"3des", "rc4"};
  }

  core::Result<std::string> step(std::string_view challenge) override {
    switch (state_) {
      case State::fresh:
        return respond(challenge);
      case State::responded:
        return check_server(challenge);
      case State::complete:
        break;
    }
    return core::fail(Errc::corrupt, "the server continued the DIGEST-MD5 exchange after its end");
  }

  bool complete() const override { return state_ == State::complete; }
  Protection protection() const override { return protection_; }

  core::Result<std::string> wrap(std::string_view plain) override {
    YDL_ASSERT(layer_ != nullptr && plain.size() <= max_plaintext());
    return layer_->wrap(plain);
  }
  core::Result<std::string> unwrap(std::string_view wrapped) override {
    YDL_ASSERT(layer_ != nullptr);
    return layer_->unwrap(wrapped);
  }
  std::size_t max_plaintext() const override {
    return challenge_.max_buffer - (protection_ == Protection::privacy ? kPrivacyOverhead : kIntegrityOverhead);
  }

 private:
  enum class State {
    fresh,      // waiting for the challenge
    responded,  // waiting for the server's proof
    complete,
  };

  core::Result<std::string> respond(std::string_view text) {
    auto challenge = parse_challenge(text);
    if (!challenge) return core::fail(challenge.error());
    challenge_ = *std::move(challenge);
    if (auto chosen = choose(); !chosen) return core::fail(chosen.error());
    session_key_ = session_key();
    if (protection_ == Protection::integrity) layer_ = make_integrity_layer(session_key_);
    if (protection_ == Protection::privacy) layer_ = make_privacy_layer(session_key_, cipher_);
    state_ = State::responded;
    return response_text();
  }

  core::Result<> choose() {
    const auto offered = [&](Protection p) { return contains(challenge_.qops, qop_name(p)); };
    const auto protection = std::ranges::find_if(options_.protections, offered);
    if (protection == options_.protections.end()) {
      std::vector<std::string_view> ours;
      std::ranges::transform(options_.protections, std::back_inserter(ours), qop_name);
      return core::fail(
          Errc::security_refused,
          fmt::format("the server offers the protection {}, but the configuration allows {}; set hadoop.rpc.protection "
                      "(for data connections dfs.data.transfer.protection) to the cluster's value",
                      core::printable(fmt::format("{}", fmt::join(challenge_.qops, ", "))), fmt::join(ours, ", ")));
    }
    protection_ = *protection;
    if (protection_ != Protection::privacy) return {};
    const auto cipher = std::ranges::find_if(options_.ciphers, [&](const std::string& name) {
      return is_known_cipher(name) && contains(challenge_.ciphers, name);
    });
    if (cipher == options_.ciphers.end()) {
      return core::fail(Errc::security_refused,
                        fmt::format("the server offers the ciphers {}, but ydl supports {}",
                                    core::printable(fmt::format("{}", fmt::join(challenge_.ciphers, ", "))),
                                    fmt::join(options_.ciphers, ", ")));
    }
    cipher_ = *cipher;
    return {};
  }

  // MD5(A1) of RFC 2831, 2.1.2.1.
  std::string session_key() const {
    const auto& [username, password] = options_.credentials;
    std::string a1 = md5(fmt::format("{}:{}:{}", username, challenge_.realm, password));
    a1 += fmt::format(":{}:{}", challenge_.nonce, options_.client_nonce);
    if (!options_.authzid.empty()) a1 += ":" + options_.authzid;
    return md5(a1);
  }

  // The client's proof contains the verb AUTHENTICATE; the server's proof has an empty verb.
  std::string proof(std::string_view verb) const {
    std::string a2 = fmt::format("{}:{}", verb, options_.digest_uri);
    if (protection_ != Protection::authentication) a2 += ":" + std::string(32, '0');
    return to_hex(md5(fmt::format("{}:{}:{}:{}:{}:{}", to_hex(session_key_), challenge_.nonce, kNonceCount,
                                  options_.client_nonce, qop_name(protection_), to_hex(md5(a2)))));
  }

  // The directives are in the same order as in the JDK.
  std::string response_text() const {
    std::string text = fmt::format(
        "charset=utf-8,username={},realm={},nonce={},nc={},cnonce={},digest-uri={},maxbuf={},response={},qop={}",
        in_quotes(options_.credentials.username), in_quotes(challenge_.realm), in_quotes(challenge_.nonce), kNonceCount,
        in_quotes(options_.client_nonce), in_quotes(options_.digest_uri), kOwnMaxBuffer, proof("AUTHENTICATE"),
        qop_name(protection_));
    if (!cipher_.empty()) text += ",cipher=" + in_quotes(cipher_);
    if (!options_.authzid.empty()) text += ",authzid=" + in_quotes(options_.authzid);
    return text;
  }

  core::Result<std::string> check_server(std::string_view text) {
    const auto rspauth = parse_rspauth(text);
    if (!rspauth) return core::fail(rspauth.error());
    if (!core::secret_equal(*rspauth, proof(""))) {
      return core::fail(Errc::unauthenticated, "the server could not prove that it has the token's password");
    }
    state_ = State::complete;
    return std::string();
  }

  DigestOptions options_;
  DigestChallenge challenge_;
  State state_ = State::fresh;
  Protection protection_ = Protection::authentication;
  std::string cipher_;
  std::string session_key_;
  std::unique_ptr<DigestLayer> layer_;
};

}  // namespace

DigestCredentials digest_credentials(const Token& token) {
  return {core::to_base64(token.identifier), core::to_base64(token.password)};
}

std::unique_ptr<Mechanism> make_digest_md5(DigestOptions options) {
  return std::make_unique<DigestMd5>(std::move(options));
}

}  // namespace ydl::hrpc::sasl
