#pragma once

#include "core/result.hpp"

#include <string>
#include <string_view>

namespace ydl::hrpc {

struct Identity;

// The Kerberos principal that a server announces: "nn" on "host1".
struct ServerPrincipal {
  std::string service;
  std::string host;
};

// Whether the name of the numeric address `host` is needed to replace _HOST in the principal.
[[nodiscard]] bool needs_reverse_name(const Identity& identity, std::string_view host);

// Replaces _HOST by the host in lower case: "nn/_HOST@EXAMPLE.ORG", "Host1" -> "nn/host1@EXAMPLE.ORG".
[[nodiscard]] std::string expand_principal(std::string_view pattern, std::string_view host);

// Checks the principal that the server at `host` announces against the identity's principal_pattern or server_principal
// (for example dfs.namenode.kerberos.principal). If both are empty, the check fails. Java compares with the canonical
// name of the host. We do not look it up in DNS: a short name matches every full name that starts with it. For a
// numeric address the caller must pass its name. Realms are not compared, because Kerberos itself maps hosts to realms.
// Errors: unauthenticated.
[[nodiscard]] core::Result<> check_principal(const ServerPrincipal& server, const Identity& identity,
                                             std::string_view host);

// The full principal to request a ticket for; without a realm if the configuration has none.
[[nodiscard]] std::string ticket_name(const ServerPrincipal& server, const Identity& identity);

}  // namespace ydl::hrpc
