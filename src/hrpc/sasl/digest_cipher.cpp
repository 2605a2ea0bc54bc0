#include "hrpc/sasl/digest_cipher.hpp"

#include "core/assert.hpp"
#include "hrpc/sasl/rc4.hpp"

#include <bit>
#include <cstdint>
#include <openssl/evp.h>

namespace ydl::hrpc::sasl {
namespace {

// Converts 56 key bits to the 8 bytes that DES requires: seven bits each, and a lowest bit that makes the number of
// ones odd.
std::string spread(std::string_view seven_bytes) {
  std::uint64_t bits = 0;
  for (const char c : seven_bytes) bits = bits << 8U | static_cast<unsigned char>(c);
  std::string key;
  for (unsigned i = 0; i < 8; ++i) {
    const auto seven = static_cast<unsigned>(bits >> (49U - 7U * i) & 0x7fU);
    const unsigned parity = std::popcount(seven) % 2 == 0 ? 1U : 0U;
    key.push_back(static_cast<char>(seven << 1U | parity));
  }
  return key;
}

class TripleDes final : public DigestCipher {
 public:
  TripleDes(std::string_view kc, Direction direction) : context_(EVP_CIPHER_CTX_new()) {
    const std::string first = spread(kc.substr(0, 7));
    const std::string key = first + spread(kc.substr(7, 7)) + first;
    YDL_ASSERT(context_ != nullptr);
    YDL_ASSERT(EVP_CipherInit_ex(context_.get(), EVP_des_ede3_cbc(), nullptr, bytes_of(key), bytes_of(kc.substr(8)),
                                 direction == Direction::encrypt ? 1 : 0) == 1);
    EVP_CIPHER_CTX_set_padding(context_.get(), 0);
  }

  std::size_t block_size() const override { return 8; }

  void apply(std::string& bytes) override {
    auto* data = reinterpret_cast<unsigned char*>(bytes.data());
    int done = 0;
    YDL_ASSERT(EVP_CipherUpdate(context_.get(), data, &done, data, static_cast<int>(bytes.size())) == 1);
    YDL_ASSERT(done == static_cast<int>(bytes.size()));
  }

 private:
  struct Free {
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
  };
  static const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
  }

  std::unique_ptr<EVP_CIPHER_CTX, Free> context_;
};

class StreamRc4 final : public DigestCipher {
 public:
  explicit StreamRc4(std::string_view key) : stream_(key) {}
  std::size_t block_size() const override { return 1; }
  void apply(std::string& bytes) override { stream_.apply(bytes); }

 private:
  Rc4 stream_;
};

}  // namespace

std::unique_ptr<DigestCipher> make_digest_cipher(std::string_view cipher, std::string_view key, Direction direction) {
  if (cipher == "3des") return std::make_unique<TripleDes>(key, direction);
  return std::make_unique<StreamRc4>(key);
}

}  // namespace ydl::hrpc::sasl
