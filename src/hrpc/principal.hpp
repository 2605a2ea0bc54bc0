#pragma once

#include "core/result.hpp"

#include <string>
#include <string_view>

namespace ydl::hrpc {

struct Identity;

// What a server says it is, for Kerberos: "nn" at "host1".
struct ServerPrincipal {
  std::string service;
  std::string host;
};

// Whether _HOST in the principal must be replaced by the name of `host`, which is a numeric address.
[[nodiscard]] bool needs_reverse_name(const Identity& identity, std::string_view host);

// `pattern` with _HOST as the host in lower case: "nn/_HOST@EXAMPLE.ORG", "Host1" -> "nn/host1@EXAMPLE.ORG".
[[nodiscard]] std::string expand_principal(std::string_view pattern, std::string_view host);

// Whether the server at `host` may be what it says it is, by the identity's principal_pattern or server_principal
// (dfs.namenode.kerberos.principal and the like; with neither it may not). Java compares with the host's canonical
// name; we do not ask DNS for the one of a name: a short name stands for all that begin with it. For a numeric address
// the caller must give the address's name. Realms are left to Kerberos, which knows where hosts belong.
// Errors: unauthenticated.
[[nodiscard]] core::Result<> check_principal(const ServerPrincipal& server, const Identity& identity,
                                             std::string_view host);

// The full name to ask a ticket for; without a realm where the configuration names none.
[[nodiscard]] std::string ticket_name(const ServerPrincipal& server, const Identity& identity);

}  // namespace ydl::hrpc
