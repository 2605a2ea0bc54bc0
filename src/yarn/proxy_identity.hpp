#pragma once

#include "core/result.hpp"
#include "net/tls.hpp"
#include "yarn/credentials.hpp"

#include <optional>

namespace ydl::yarn {

// What an ApplicationMaster needs for HTTPS with the ResourceManager's proxy. Where
// yarn.resourcemanager.application-https.policy is LENIENT or STRICT, the ResourceManager adds it to the credentials of
// each master that a NodeManager starts, as four secrets:
//
//   yarn.application.am.keystore, .keystore.password       JKS: the key "server" and its chain [own, CA]
//   yarn.application.am.truststore, .truststore.password   JKS: the CA's certificate, which the proxy shows as its own
//
// Nothing where there are none. Errors: corrupt, naming the secret that is missing or cannot be read.
[[nodiscard]] core::Result<std::optional<net::MutualIdentity>> proxy_identity(const Credentials& credentials);

}  // namespace ydl::yarn
