#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace ydl::hrpc::sasl {

// What a Kerberos ticket cache holds: the ticket that gets all others.
struct Ticket {
  std::string cache;      // "FILE:/tmp/krb5cc_1000"
  std::string principal;  // "alice@EXAMPLE.ORG"
  std::optional<std::chrono::sys_seconds> starts;
  std::optional<std::chrono::sys_seconds> ends;
};

// The cache of that name; empty: the one of KRB5CCNAME or of krb5.conf. Errors: unauthenticated, saying which cache was
// looked at and what to do.
[[nodiscard]] core::Result<Ticket> read_ticket_cache(const std::string& cache);

// Whether a keytab holds a key of the principal. Errors: unauthenticated, usage (no principal named).
[[nodiscard]] core::Result<> check_keytab(const std::filesystem::path& keytab, const std::string& principal);

// Whether it can be used now. Errors: unauthenticated (no ticket, expired and since when, not valid yet).
[[nodiscard]] core::Result<> check_ticket(const Ticket& ticket, core::WallTime now);

}  // namespace ydl::hrpc::sasl
