#include "yarn/client_token.hpp"

#include "core/assert.hpp"
#include "core/base64.hpp"
#include "core/strings.hpp"
#include "yarn/convert.hpp"
#include "yarn/proto/token_identifiers.pb.h"

#include <array>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <fmt/format.h>

namespace ydl::yarn {
namespace {

namespace pb = hadoop::yarn;

constexpr std::string_view kPrefix = "yarn.";

std::string hmac_sha1(std::string_view key, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  YDL_ASSERT(HMAC(EVP_sha1(), key.data(), static_cast<int>(key.size()), data, bytes.size(), digest.data(), &length) !=
             nullptr);
  return {digest.begin(), digest.begin() + length};
}

}  // namespace

std::string bearer_of(const hrpc::Token& token) {
  return fmt::format("{}{}.{}", kPrefix, core::to_base64(token.identifier), core::to_base64(token.password));
}

std::optional<TokenOfClient> check_bearer(std::string_view bearer, std::string_view key) {
  if (key.empty() || !bearer.starts_with(kPrefix)) return std::nullopt;
  const auto parts = core::split(bearer.substr(kPrefix.size()), '.');
  if (parts.size() != 2) return std::nullopt;
  const auto identifier = core::from_base64(parts[0]);
  const auto password = core::from_base64(parts[1]);
  if (!identifier || !password) return std::nullopt;
  if (!core::secret_equal(*password, hmac_sha1(key, *identifier))) return std::nullopt;
  pb::ClientToAMTokenIdentifierProto proto;
  if (!proto.ParseFromString(*identifier)) return std::nullopt;
  return TokenOfClient{from_proto(proto.appattemptid()), proto.clientname()};
}

}  // namespace ydl::yarn
