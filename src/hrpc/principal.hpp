#pragma once

#include "core/result.hpp"

#include <string>
#include <string_view>

namespace ydl::hrpc {

struct ServerPrincipal;

// `pattern` with _HOST as the host in lower case: "nn/_HOST@EXAMPLE.ORG", "Host1" -> "nn/host1@EXAMPLE.ORG".
[[nodiscard]] std::string expand_principal(std::string_view pattern, std::string_view host);

// Whether the server is the one the configuration names (dfs.namenode.kerberos.principal and the like; empty: any
// will do). Realms are left to Kerberos, which knows where hosts belong. Errors: unauthenticated.
[[nodiscard]] core::Result<> check_principal(const ServerPrincipal& server, std::string_view expected,
                                             std::string_view host);

}  // namespace ydl::hrpc
