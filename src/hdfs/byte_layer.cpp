#include "hdfs/byte_layer.hpp"

#include "core/assert.hpp"
#include "hdfs/errors.hpp"
#include "hdfs/transfer_codec.hpp"
#include "hrpc/sasl/mechanism.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <openssl/evp.h>

#include <fmt/format.h>

namespace ydl::hdfs {
namespace {

constexpr std::size_t kLengthSize = 4;

class SaslLayer final : public ByteLayer {
 public:
  explicit SaslLayer(std::unique_ptr<hrpc::sasl::Mechanism> mechanism) : mechanism_(std::move(mechanism)) {}

  core::Result<std::string> seal(std::span<const std::string_view> pieces) override {
    std::string plain;
    for (const auto piece : pieces) plain += piece;
    std::string sealed;
    const std::size_t step = mechanism_->max_plaintext();
    for (std::size_t at = 0; at < plain.size(); at += step) {
      const auto wrapped = mechanism_->wrap(std::string_view(plain).substr(at, step));
      if (!wrapped) return core::fail(wrapped.error());
      const auto length = std::byteswap(static_cast<std::uint32_t>(wrapped->size()));
      sealed.append(reinterpret_cast<const char*>(&length), sizeof length);
      sealed += *wrapped;
    }
    return sealed;
  }

  core::Result<std::string> open(std::span<const char> received) override {
    waiting_.append(received.data(), received.size());
    std::string plain;
    std::string_view rest = waiting_;
    while (rest.size() >= kLengthSize) {
      std::uint32_t length = 0;
      std::memcpy(&length, rest.data(), sizeof length);
      length = std::byteswap(length);
      if (length > kPacketLimit) {
        return core::fail(error(
            Errc::protocol,
            fmt::format("the DataNode announced a protected message of {} bytes, which is above the limit", length)));
      }
      if (rest.size() - kLengthSize < length) break;
      const auto part = mechanism_->unwrap(rest.substr(kLengthSize, length));
      if (!part) return core::fail(error(Errc::protocol, part.error().message));
      plain += *part;
      rest.remove_prefix(kLengthSize + length);
    }
    waiting_.erase(0, waiting_.size() - rest.size());
    return plain;
  }

 private:
  std::unique_ptr<hrpc::sasl::Mechanism> mechanism_;
  std::string waiting_;
};

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

// In counter mode, encryption and decryption are the same operation: XOR with the key stream.
void apply(EVP_CIPHER_CTX* context, std::string_view in, char* out) {
  int written = 0;
  const int done = EVP_EncryptUpdate(context, reinterpret_cast<unsigned char*>(out), &written,
                                     reinterpret_cast<const unsigned char*>(in.data()), static_cast<int>(in.size()));
  YDL_ASSERT(done == 1 && static_cast<std::size_t>(written) == in.size());
}

class AesLayer final : public ByteLayer {
 public:
  AesLayer(CipherContext sending, CipherContext receiving)
      : sending_(std::move(sending)), receiving_(std::move(receiving)) {}

  core::Result<std::string> seal(std::span<const std::string_view> pieces) override {
    std::size_t size = 0;
    for (const auto piece : pieces) size += piece.size();
    std::string sealed(size, '\0');
    std::size_t at = 0;
    for (const auto piece : pieces) {
      apply(sending_.get(), piece, sealed.data() + at);
      at += piece.size();
    }
    return sealed;
  }

  core::Result<std::string> open(std::span<const char> received) override {
    std::string plain(received.size(), '\0');
    apply(receiving_.get(), {received.data(), received.size()}, plain.data());
    return plain;
  }

 private:
  CipherContext sending_;
  CipherContext receiving_;
};

core::Result<CipherContext> make_context(const AesKey& key) {
  const EVP_CIPHER* cipher = nullptr;
  if (key.key.size() == 16) cipher = EVP_aes_128_ctr();
  if (key.key.size() == 24) cipher = EVP_aes_192_ctr();
  if (key.key.size() == 32) cipher = EVP_aes_256_ctr();
  if (cipher == nullptr || key.iv.size() != 16) {
    return core::fail(error(
        Errc::protocol,
        fmt::format("the DataNode sent an AES key of {} bytes with an initial vector of {} bytes, which is not valid",
                    key.key.size(), key.iv.size())));
  }
  CipherContext context(EVP_CIPHER_CTX_new());
  YDL_ASSERT(context != nullptr);
  YDL_ASSERT(EVP_EncryptInit_ex(context.get(), cipher, nullptr, reinterpret_cast<const unsigned char*>(key.key.data()),
                                reinterpret_cast<const unsigned char*>(key.iv.data())) == 1);
  return context;
}

}  // namespace

std::unique_ptr<ByteLayer> make_sasl_layer(std::unique_ptr<hrpc::sasl::Mechanism> mechanism) {
  return std::make_unique<SaslLayer>(std::move(mechanism));
}

core::Result<std::unique_ptr<ByteLayer>> make_aes_layer(const AesKey& sending, const AesKey& receiving) {
  auto out = make_context(sending);
  if (!out) return core::fail(out.error());
  auto in = make_context(receiving);
  if (!in) return core::fail(in.error());
  return std::make_unique<AesLayer>(std::move(*out), std::move(*in));
}

}  // namespace ydl::hdfs
