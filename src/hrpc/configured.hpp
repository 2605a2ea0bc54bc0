#pragma once

#include "core/result.hpp"
#include "hconf/config.hpp"
#include "hconf/reader.hpp"
#include "hconf/services.hpp"
#include "hrpc/options.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::hrpc {

// Client options as Hadoop's configuration has them. Errors: usage, naming file, key and value.

// Who calls: the user and the tokens at hand (from HADOOP_TOKEN_FILE_LOCATION, say).
struct Credentials {
  std::string user;
  std::string real_user = {};
  std::span<const Token> tokens = {};
  KerberosSource kerberos = {};
};

[[nodiscard]] core::Result<ClientOptions> name_node_options(const hconf::Config& config,
                                                            const hconf::NameService& service,
                                                            const Credentials& credentials);

// `servers` are the ResourceManagers' client or scheduler ports; a token of `token_kind` is preferred to Kerberos.
[[nodiscard]] core::Result<ClientOptions> resource_manager_options(const hconf::Config& config,
                                                                   std::vector<hconf::HostPort> servers,
                                                                   std::string_view token_kind,
                                                                   const Credentials& credentials);

// A NodeManager takes nothing but the token that came with the container.
[[nodiscard]] core::Result<ClientOptions> node_manager_options(const hconf::Config& config, hconf::HostPort server,
                                                               Token token, const Credentials& credentials);

// What a key such as hadoop.rpc.protection allows, in order of preference.
[[nodiscard]] std::vector<Protection> protections(std::string_view key, hconf::Reader& read);

// The token of this kind for this service. A service may be named by address, by host or not at all in the token, so
// the only one of its kind is taken as well. One token under two names is one token.
[[nodiscard]] std::optional<Token> select_token(std::span<const Token> tokens, std::string_view kind,
                                                std::string_view service);

}  // namespace ydl::hrpc
