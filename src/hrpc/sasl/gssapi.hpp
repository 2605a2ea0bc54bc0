#pragma once

#include "core/result.hpp"
#include "hrpc/handshake_fsm.hpp"
#include "hrpc/sasl/mechanism.hpp"

#include <memory>

namespace ydl::hrpc::sasl {

// The client side of GSSAPI with Kerberos (RFC 4752), using MIT krb5. Credentials are taken from the ticket cache or a
// keytab. This function and the first step() may wait for the KDC, so they must not run in the thread of the event
// loop. Errors, with cause and remedy: unauthenticated (no ticket or an expired one, unknown principal, clock skew, no
// answer from the KDC), security_refused (no common protection), corrupt.
[[nodiscard]] core::Result<std::unique_ptr<Mechanism>> make_gssapi(const ServerPrincipal& server,
                                                                   const Identity& identity);

}  // namespace ydl::hrpc::sasl
