#include "hrpc/sasl/hash.hpp"

#include "core/assert.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace ydl::hrpc::sasl {
namespace {

constexpr std::size_t kMd5Size = 16;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

}  // namespace

std::string md5(std::string_view bytes) {
  std::string digest(kMd5Size, '\0');
  // It only fails in an OpenSSL without MD5, and ours has it.
  YDL_ASSERT(EVP_Digest(bytes.data(), bytes.size(), bytes_of(digest), nullptr, EVP_md5(), nullptr) == 1);
  return digest;
}

std::string hmac_md5(std::string_view key, std::string_view bytes) {
  std::string digest(kMd5Size, '\0');
  YDL_ASSERT(HMAC(EVP_md5(), key.data(), static_cast<int>(key.size()), bytes_of(bytes), bytes.size(), bytes_of(digest),
                  nullptr) != nullptr);
  return digest;
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex.push_back(kDigits[byte >> 4U]);
    hex.push_back(kDigits[byte & 0xfU]);
  }
  return hex;
}

}  // namespace ydl::hrpc::sasl
