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

// Client options from Hadoop's configuration. Errors: usage, with file, key and value.

// The user and the tokens that calls may use, for example those in HADOOP_TOKEN_FILE_LOCATION.
struct Credentials {
  std::string user;
  std::string real_user = {};
  std::span<const Token> tokens = {};
  KerberosSource kerberos = {};
};

[[nodiscard]] core::Result<ClientOptions> name_node_options(const hconf::Config& config,
                                                            const hconf::NameService& service,
                                                            const Credentials& credentials);

// `servers` are the client or scheduler ports of the ResourceManagers. A token of `token_kind` has priority over
// Kerberos.
[[nodiscard]] core::Result<ClientOptions> resource_manager_options(const hconf::Config& config,
                                                                   std::vector<hconf::HostPort> servers,
                                                                   std::string_view token_kind,
                                                                   const Credentials& credentials);

// A NodeManager only accepts the token that the ResourceManager issued with the container.
[[nodiscard]] core::Result<ClientOptions> node_manager_options(const hconf::Config& config, hconf::HostPort server,
                                                               Token token, const Credentials& credentials);

// The protections that a key such as hadoop.rpc.protection allows, in order of preference.
[[nodiscard]] std::vector<Protection> protections(std::string_view key, hconf::Reader& read);

// The token of this kind for this service. Tokens name their service by address, by host name or not at all, so the
// only token of its kind is used even if its service is different. Two tokens with the same identifier count as one.
[[nodiscard]] std::optional<Token> select_token(std::span<const Token> tokens, std::string_view kind,
                                                std::string_view service);

}  // namespace ydl::hrpc
