#include "core/derived_key.hpp"

#include "core/assert.hpp"

#include <array>
#include <memory>
#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <fmt/format.h>

namespace ydl::core {
namespace {

struct Free {
  void operator()(EVP_KDF* kdf) const noexcept { ::EVP_KDF_free(kdf); }
  void operator()(EVP_KDF_CTX* context) const noexcept { ::EVP_KDF_CTX_free(context); }
};

OSSL_PARAM octets(const char* name, std::string_view bytes) {
  return ::OSSL_PARAM_construct_octet_string(name, const_cast<char*>(bytes.data()), bytes.size());
}

}  // namespace

// These calls only fail in an OpenSSL without HKDF, and ours has it.
std::string derive_key(std::string_view key, std::string_view purpose) {
  static const std::unique_ptr<EVP_KDF, Free> kdf(::EVP_KDF_fetch(nullptr, "HKDF", nullptr));
  YDL_ASSERT(kdf);
  const std::unique_ptr<EVP_KDF_CTX, Free> context(::EVP_KDF_CTX_new(kdf.get()));
  YDL_ASSERT(context);
  std::string digest = "SHA256";
  const std::array parameters{::OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
                              octets(OSSL_KDF_PARAM_KEY, key), octets(OSSL_KDF_PARAM_INFO, purpose),
                              ::OSSL_PARAM_construct_end()};
  std::array<unsigned char, 32> derived{};
  YDL_ASSERT(::EVP_KDF_derive(context.get(), derived.data(), derived.size(), parameters.data()) == 1);
  return fmt::format("{:02x}", fmt::join(derived, ""));
}

}  // namespace ydl::core
