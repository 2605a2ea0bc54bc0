#include "yarn/proxy_identity.hpp"

#include "yarn/jks.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::yarn {
namespace {

constexpr std::string_view kPrefix = "yarn.application.am.";
constexpr std::string_view kKeyStore = "yarn.application.am.keystore";
constexpr std::string_view kTrustStore = "yarn.application.am.truststore";
constexpr std::string_view kPassword = ".password";
constexpr std::string_view kKeyAlias = "server";

core::Result<std::string_view> secret(const Credentials& credentials, std::string_view alias) {
  const auto found = credentials.secrets.find(alias);
  if (found == credentials.secrets.end())
    return core::fail(core::Errc::corrupt,
                      fmt::format("the credentials of this master do not contain the secret {}", alias));
  return found->second;
}

core::Result<KeyStore> store(const Credentials& credentials, std::string_view alias) {
  const auto bytes = secret(credentials, alias);
  if (!bytes) return core::fail(bytes.error());
  const auto password = secret(credentials, fmt::format("{}{}", alias, kPassword));
  if (!password) return core::fail(password.error());
  auto decoded = decode_jks(*bytes, *password);
  if (!decoded) return core::fail(std::move(decoded).error().within(alias));
  return decoded;
}

}  // namespace

core::Result<std::optional<net::MutualIdentity>> proxy_identity(const Credentials& credentials) {
  const auto first = credentials.secrets.lower_bound(kPrefix);
  if (first == credentials.secrets.end() || !first->first.starts_with(kPrefix)) return std::nullopt;
  auto own = store(credentials, kKeyStore);
  if (!own) return core::fail(own.error());
  auto trusted = store(credentials, kTrustStore);
  if (!trusted) return core::fail(trusted.error());
  const auto key = std::ranges::find(own->keys, kKeyAlias, &KeyStore::Key::alias);
  if (key == own->keys.end())
    return core::fail(core::Errc::corrupt, fmt::format("{}: it has no key named {}", kKeyStore, kKeyAlias));
  if (trusted->certificates.empty())
    return core::fail(core::Errc::corrupt, fmt::format("{}: it has no certificate", kTrustStore));
  net::MutualIdentity identity{std::move(key->key), std::move(key->chain), {}};
  for (auto& entry : trusted->certificates) identity.callers.push_back(std::move(entry.certificate));
  return identity;
}

}  // namespace ydl::yarn
