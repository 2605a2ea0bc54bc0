#include "hrpc/sasl/kdc_clock.hpp"

#include "core/strings.hpp"
#include "hrpc/sasl/krb5_library.hpp"

#include <fmt/format.h>

namespace ydl::hrpc::sasl {
namespace {

using Ahead = std::optional<std::chrono::seconds>;

// Called by libkrb5 with every answer of a KDC. An error answer contains the KDC's time, which the library does not
// report.
krb5_error_code look_at(krb5_context context, void* data, krb5_error_code /*code*/, const krb5_data* /*realm*/,
                        const krb5_data* /*message*/, const krb5_data* reply, krb5_data** /*new_reply*/) {
  krb5_error* refusal = nullptr;
  if (reply == nullptr || krb5_rd_error(context, reply, &refusal) != 0) return 0;
  krb5_timestamp now = 0;
  if (krb5_timeofday(context, &now) == 0) *static_cast<Ahead*>(data) = std::chrono::seconds(refusal->stime - now);
  krb5_free_error(context, refusal);
  return 0;
}

}  // namespace

std::optional<std::chrono::seconds> kdc_ahead_by(const std::string& cache, const std::string& server) {
  const Krb5Context context;
  krb5_ccache tickets = nullptr;
  if (!context || krb5_cc_resolve(context.get(), cache.c_str(), &tickets) != 0) return std::nullopt;
  const Krb5Handle<krb5_ccache, krb5_cc_close> closing(context.get(), tickets);
  krb5_creds wanted{};
  Ahead ahead;
  if (krb5_cc_get_principal(context.get(), tickets, &wanted.client) == 0 &&
      krb5_parse_name(context.get(), server.c_str(), &wanted.server) == 0) {
    krb5_set_kdc_recv_hook(context.get(), look_at, &ahead);
    krb5_creds* got = nullptr;
    if (krb5_get_credentials(context.get(), 0, tickets, &wanted, &got) == 0) krb5_free_creds(context.get(), got);
  }
  krb5_free_cred_contents(context.get(), &wanted);
  return ahead;
}

std::string describe_skew(std::optional<std::chrono::seconds> kdc_ahead) {
  const auto minutes = std::chrono::round<std::chrono::minutes>(kdc_ahead.value_or(std::chrono::seconds(0)));
  if (minutes.count() == 0) {
    return "this machine's clock differs from the server's by more than the five minutes that Kerberos allows: correct "
           "it";
  }
  return fmt::format("this machine's clock is {} {} the KDC's, but Kerberos allows only five minutes: correct it",
                     core::format_duration(std::chrono::abs(minutes)), minutes.count() > 0 ? "behind" : "ahead of");
}

}  // namespace ydl::hrpc::sasl
