#pragma once

#include "core/result.hpp"
#include "hrpc/handshake_fsm.hpp"
#include "hrpc/sasl/mechanism.hpp"

#include <memory>

namespace ydl::hrpc::sasl {

// GSSAPI with Kerberos (RFC 4752), the client's side, by MIT krb5. Credentials come from the ticket cache or a keytab.
// Making it and its first step() may wait for the KDC: not for the event loop's thread.
// Errors, with cause and remedy: unauthenticated (no or expired ticket, unknown principal, clock skew, KDC that does
// not answer), security_refused (no common protection), corrupt.
[[nodiscard]] core::Result<std::unique_ptr<Mechanism>> make_gssapi(const ServerPrincipal& server,
                                                                   const Identity& identity);

}  // namespace ydl::hrpc::sasl
