#pragma once

#include "core/result.hpp"
#include "net/tls.hpp"
#include "yarn/credentials.hpp"

#include <optional>

namespace ydl::yarn {

// The keys of an ApplicationMaster for HTTPS with the ResourceManager's proxy. If
// yarn.resourcemanager.application-https.policy is LENIENT or STRICT, the ResourceManager adds four secrets to the
// credentials of each master that a NodeManager starts:
//
//   yarn.application.am.keystore, .keystore.password       JKS: the key "server" and its chain [own, CA]
//
// yarn.application.am.truststore, .truststore.password JKS: the CA's certificate, which the proxy also uses as its own
// Nothing if the secrets are absent. Errors: corrupt, with the secret that is missing or cannot be decoded.
[[nodiscard]] core::Result<std::optional<net::MutualIdentity>> proxy_identity(const Credentials& credentials);

}  // namespace ydl::yarn
