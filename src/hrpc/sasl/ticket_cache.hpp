#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace ydl::hrpc::sasl {

// The ticket-granting ticket in a Kerberos ticket cache.
struct Ticket {
  std::string cache;      // "FILE:/tmp/krb5cc_1000"
  std::string principal;  // "alice@EXAMPLE.ORG"
  std::optional<std::chrono::sys_seconds> starts;
  std::optional<std::chrono::sys_seconds> ends;
};

// Reads the cache of this name; empty: the one in KRB5CCNAME or krb5.conf. Errors: unauthenticated, with the name of
// the cache and the remedy.
[[nodiscard]] core::Result<Ticket> read_ticket_cache(const std::string& cache);

// Checks that a keytab has a key of the principal. Errors: unauthenticated, usage (the name of the principal is empty).
[[nodiscard]] core::Result<> check_keytab(const std::filesystem::path& keytab, const std::string& principal);

// Checks that the ticket is valid now. Errors: unauthenticated (no ticket, expired, not valid yet).
[[nodiscard]] core::Result<> check_ticket(const Ticket& ticket, core::WallTime now);

}  // namespace ydl::hrpc::sasl
