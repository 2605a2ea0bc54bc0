#include "hrpc/sasl/ticket_cache.hpp"

#include "core/strings.hpp"
#include "hrpc/errors.hpp"
#include "hrpc/sasl/krb5_library.hpp"

#include <cstring>

#include <fmt/format.h>

namespace ydl::hrpc::sasl {
namespace {

core::Error no_ticket(const std::string& cache, std::string_view why) {
  return {Errc::unauthenticated, fmt::format("no Kerberos ticket in {} ({}): run kinit", cache, why)};
}

bool is_ticket_granting(const krb5_creds& creds) {
  constexpr std::string_view kService = "krbtgt";
  return creds.server != nullptr && creds.server->length == 2 &&
         std::string_view(creds.server->data[0].data, creds.server->data[0].length) == kService;
}

std::chrono::sys_seconds time_of(krb5_timestamp time) {
  // MIT krb5 treats its 32-bit times as unsigned, which is valid until 2106.
  return std::chrono::sys_seconds(std::chrono::seconds(static_cast<std::uint32_t>(time)));
}

}  // namespace

core::Result<Ticket> read_ticket_cache(const std::string& name) {
  Krb5Context context;
  if (!context) return core::fail(context.error());
  Ticket ticket{.cache = name.empty() ? krb5_cc_default_name(context.get()) : name,
                .principal = {},
                .starts = std::nullopt,
                .ends = std::nullopt};
  krb5_ccache cache = nullptr;
  if (const auto code = krb5_cc_resolve(context.get(), ticket.cache.c_str(), &cache); code != 0) {
    return core::fail(no_ticket(ticket.cache, context.message(code)));
  }
  const Krb5Handle<krb5_ccache, krb5_cc_close> closing(context.get(), cache);
  krb5_principal principal = nullptr;
  if (const auto code = krb5_cc_get_principal(context.get(), cache, &principal); code != 0) {
    return core::fail(no_ticket(ticket.cache, context.message(code)));
  }
  ticket.principal = context.name_of(principal);
  krb5_free_principal(context.get(), principal);

  krb5_cc_cursor cursor = nullptr;
  if (const auto code = krb5_cc_start_seq_get(context.get(), cache, &cursor); code != 0) {
    return core::fail(no_ticket(ticket.cache, context.message(code)));
  }
  krb5_creds creds{};
  while (krb5_cc_next_cred(context.get(), cache, &cursor, &creds) == 0) {
    if (is_ticket_granting(creds) && (!ticket.ends || time_of(creds.times.endtime) > *ticket.ends)) {
      ticket.starts = time_of(creds.times.starttime != 0 ? creds.times.starttime : creds.times.authtime);
      ticket.ends = time_of(creds.times.endtime);
    }
    krb5_free_cred_contents(context.get(), &creds);
  }
  krb5_cc_end_seq_get(context.get(), cache, &cursor);
  return ticket;
}

core::Result<> check_keytab(const std::filesystem::path& keytab, const std::string& name) {
  const auto unusable = [&](const std::string& why) {
    return core::Error{Errc::unauthenticated,
                       fmt::format("the keytab {} cannot be used for {}: {}", keytab.string(), name, why)};
  };
  if (name.empty()) {
    return core::fail(
        core::Errc::usage,
        fmt::format("no principal is given for the keytab {}; name the principal whose key to use", keytab.string()));
  }
  const Krb5Context context;
  if (!context) return core::fail(context.error());
  krb5_keytab table = nullptr;
  if (const auto code = krb5_kt_resolve(context.get(), ("FILE:" + keytab.string()).c_str(), &table); code != 0) {
    return core::fail(unusable(context.message(code)));
  }
  const Krb5Handle<krb5_keytab, krb5_kt_close> closing(context.get(), table);
  krb5_principal principal = nullptr;
  if (const auto code = krb5_parse_name(context.get(), name.c_str(), &principal); code != 0) {
    return core::fail(unusable(context.message(code)));
  }
  const Krb5Handle<krb5_principal, krb5_free_principal> freeing(context.get(), principal);
  krb5_keytab_entry entry{};
  if (const auto code = krb5_kt_get_entry(context.get(), table, principal, 0, 0, &entry); code != 0) {
    return core::fail(unusable(context.message(code)));
  }
  krb5_free_keytab_entry_contents(context.get(), &entry);
  return {};
}

core::Result<> check_ticket(const Ticket& ticket, core::WallTime now) {
  constexpr auto kClockSkew = std::chrono::minutes(5);  // the difference that Kerberos allows by default
  if (!ticket.ends)
    return core::fail(
        no_ticket(ticket.cache, fmt::format("the cache of {} has no ticket-granting ticket", ticket.principal)));
  if (*ticket.ends <= now) {
    return core::fail(Errc::unauthenticated,
                      fmt::format("the Kerberos ticket of {} in {} expired at {}, {} ago: run kinit", ticket.principal,
                                  ticket.cache, core::format_utc(*ticket.ends),
                                  core::format_duration(std::chrono::duration_cast<core::Millis>(now - *ticket.ends))));
  }
  if (ticket.starts && *ticket.starts > now + kClockSkew) {
    return core::fail(
        Errc::unauthenticated,
        fmt::format("the Kerberos ticket of {} in {} is valid from {}, {} from now: this machine's clock is behind the "
                    "KDC's and must be corrected, or the ticket is postdated",
                    ticket.principal, ticket.cache, core::format_utc(*ticket.starts),
                    core::format_duration(std::chrono::duration_cast<core::Millis>(*ticket.starts - now))));
  }
  return {};
}

}  // namespace ydl::hrpc::sasl
