#include "core/sha256.hpp"

#include "core/assert.hpp"

#include <array>
#include <openssl/evp.h>

#include <fmt/format.h>

namespace ydl::core {

void Sha256::Free::operator()(evp_md_ctx_st* context) const noexcept {
  ::EVP_MD_CTX_free(context);
}

Sha256::Sha256() : context_(::EVP_MD_CTX_new()) {
  // These calls only fail in an OpenSSL without SHA-256, and ours has it.
  YDL_ASSERT(context_ && ::EVP_DigestInit_ex(context_.get(), ::EVP_sha256(), nullptr) == 1);
}

void Sha256::add(std::string_view bytes) {
  YDL_ASSERT(::EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  YDL_ASSERT(::EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1);
  return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + size, ""));
}

}  // namespace ydl::core
