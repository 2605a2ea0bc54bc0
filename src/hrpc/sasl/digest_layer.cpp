#include "hrpc/sasl/digest_layer.hpp"

#include "core/assert.hpp"
#include "core/strings.hpp"
#include "hrpc/errors.hpp"
#include "hrpc/sasl/digest_cipher.hpp"
#include "hrpc/sasl/hash.hpp"

#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace ydl::hrpc::sasl {
namespace {

constexpr std::size_t kMacSize = 10;
constexpr std::string_view kVersion{"\x00\x01", 2};
constexpr std::size_t kTrailerSize = 6;  // version and count
constexpr std::string_view kUp = "client-to-server";
constexpr std::string_view kDown = "server-to-client";

std::string u32(std::uint32_t value) {
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes.push_back(static_cast<char>(value >> shift & 0xffU));
  return bytes;
}

core::Error damaged(std::string_view what) {
  return {Errc::corrupt, fmt::format("a protected message from the server {}", what)};
}

std::string signing_key(std::string_view session_key, std::string_view direction) {
  return md5(fmt::format("{}Digest session key to {} signing key magic constant", session_key, direction));
}

// The message authentication codes and the message counter of one direction.
class Signer {
 public:
  Signer(std::string_view session_key, std::string_view direction) : key_(signing_key(session_key, direction)) {}

  [[nodiscard]] std::string mac(std::string_view message) const {
    std::string counted = u32(count_);
    counted.append(message);
    return hmac_md5(key_, counted).substr(0, kMacSize);
  }
  // Returns version and count, and increments the count.
  std::string trailer() { return std::string(kVersion) + u32(count_++); }

 private:
  std::string key_;
  std::uint32_t count_ = 0;
};

// Checks the trailer and returns the message without it.
core::Result<std::string_view> strip_trailer(std::string_view wrapped, Signer& signer) {
  if (wrapped.size() < kMacSize + kTrailerSize) return core::fail(damaged("is too short"));
  const auto body = wrapped.substr(0, wrapped.size() - kTrailerSize);
  if (wrapped.substr(body.size()) != signer.trailer()) return core::fail(damaged("is out of order"));
  return body;
}

class Integrity final : public DigestLayer {
 public:
  explicit Integrity(std::string_view session_key) : up_(session_key, kUp), down_(session_key, kDown) {}

  std::string wrap(std::string_view plain) override {
    std::string wrapped(plain);
    wrapped += up_.mac(plain);
    wrapped += up_.trailer();
    return wrapped;
  }

  core::Result<std::string> unwrap(std::string_view wrapped) override {
    const Signer expected = down_;
    const auto body = strip_trailer(wrapped, down_);
    if (!body) return core::fail(body.error());
    const auto message = body->substr(0, body->size() - kMacSize);
    if (!core::secret_equal(body->substr(message.size()), expected.mac(message))) {
      return core::fail(damaged("was modified during transmission"));
    }
    return std::string(message);
  }

 private:
  Signer up_;
  Signer down_;
};

class Privacy final : public DigestLayer {
 public:
  Privacy(std::string_view session_key, std::string_view cipher)
      : up_(session_key, kUp),
        down_(session_key, kDown),
        encryptor_(make_digest_cipher(cipher, sealing_key(session_key, cipher, kUp), Direction::encrypt)),
        decryptor_(make_digest_cipher(cipher, sealing_key(session_key, cipher, kDown), Direction::decrypt)) {}

  std::string wrap(std::string_view plain) override {
    std::string sealed(plain);
    const std::size_t block = encryptor_->block_size();
    if (block > 1) {
      const std::size_t padding = block - (plain.size() + kMacSize) % block;
      sealed.append(padding, static_cast<char>(padding));
    }
    sealed += up_.mac(plain);
    encryptor_->apply(sealed);
    return sealed + up_.trailer();
  }

  core::Result<std::string> unwrap(std::string_view wrapped) override {
    const Signer expected = down_;
    const auto body = strip_trailer(wrapped, down_);
    if (!body) return core::fail(body.error());
    const std::size_t block = decryptor_->block_size();
    if (body->size() % block != 0) return core::fail(damaged("is truncated"));
    std::string message(*body);
    decryptor_->apply(message);
    const std::string mac = message.substr(message.size() - kMacSize);
    message.resize(message.size() - kMacSize);
    if (block > 1) {
      const auto padding = message.empty() ? 0U : static_cast<unsigned char>(message.back());
      if (padding == 0 || padding > block || padding > message.size())
        return core::fail(damaged("was modified during transmission"));
      message.resize(message.size() - padding);
    }
    if (!core::secret_equal(mac, expected.mac(message))) return core::fail(damaged("was modified during transmission"));
    return message;
  }

 private:
  static std::string sealing_key(std::string_view session_key, std::string_view cipher, std::string_view direction) {
    // The weak variants only use the first bytes of the session key (RFC 2831).
    const std::size_t used = cipher == "rc4-40" ? 5 : cipher == "rc4-56" ? 7 : session_key.size();
    return md5(fmt::format("{}Digest H(A1) to {} sealing key magic constant", session_key.substr(0, used), direction));
  }

  Signer up_;
  Signer down_;
  std::unique_ptr<DigestCipher> encryptor_;
  std::unique_ptr<DigestCipher> decryptor_;
};

}  // namespace

std::unique_ptr<DigestLayer> make_integrity_layer(std::string_view session_key) {
  return std::make_unique<Integrity>(session_key);
}

std::unique_ptr<DigestLayer> make_privacy_layer(std::string_view session_key, std::string_view cipher) {
  YDL_ASSERT(is_known_cipher(cipher));
  return std::make_unique<Privacy>(session_key, cipher);
}

bool is_known_cipher(std::string_view cipher) {
  return cipher == "3des" || cipher == "rc4" || cipher == "rc4-56" || cipher == "rc4-40";
}

}  // namespace ydl::hrpc::sasl
