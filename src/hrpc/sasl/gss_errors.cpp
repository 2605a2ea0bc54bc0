#include "hrpc/sasl/gss_errors.hpp"

#include "core/strings.hpp"
#include "hrpc/errors.hpp"
#include "hrpc/sasl/kdc_clock.hpp"

#include <krb5/krb5.h>
#include <string_view>

#include <fmt/format.h>

namespace ydl::hrpc::sasl {
namespace {

std::string display(OM_uint32 code, int type) {
  std::string text;
  OM_uint32 more = 0;
  do {
    OM_uint32 ignored = 0;
    gss_buffer_desc message = GSS_C_EMPTY_BUFFER;
    if (gss_display_status(&ignored, code, type, GSS_C_NO_OID, &more, &message) != GSS_S_COMPLETE) break;
    if (!text.empty()) text += "; ";
    text.append(static_cast<const char*>(message.value), message.length);
    gss_release_buffer(&ignored, &message);
  } while (more != 0);
  return core::printable(text);
}

std::string explain(krb5_error_code code, const GssPlace& place) {
  switch (code) {
    case KRB5_FCC_NOFILE:
    case KRB5_CC_NOTFOUND:
      return fmt::format("no Kerberos ticket in {}: run kinit", place.source);
    case KRB5KRB_AP_ERR_TKT_EXPIRED:
      return fmt::format("the Kerberos ticket in {} has expired: run kinit", place.source);
    case KRB5KDC_ERR_S_PRINCIPAL_UNKNOWN:
      return fmt::format(
          "the KDC does not know the server's principal {}: check the host name in the configuration and the realm",
          place.server);
    case KRB5KDC_ERR_C_PRINCIPAL_UNKNOWN:
      return fmt::format("the KDC does not know the principal in {}: check its name and realm", place.source);
    case KRB5KRB_AP_ERR_SKEW:
      return describe_skew(kdc_ahead_by(place.source, place.server));
    case KRB5_KDC_UNREACH:
    case KRB5_REALM_CANT_RESOLVE:
    case KRB5_REALM_UNKNOWN:
      return fmt::format("no KDC of the realm of {} answers: check [realms] in /etc/krb5.conf", place.server);
    case KRB5KDC_ERR_PREAUTH_FAILED:
    case KRB5KRB_AP_ERR_BAD_INTEGRITY:
      return fmt::format(
          "the KDC does not accept the key in {}: the password was probably changed later; create a new keytab",
          place.source);
    default:
      return {};
  }
}

}  // namespace

core::Error gss_error(OM_uint32 major, OM_uint32 minor, const GssPlace& place) {
  const std::string detail = minor != 0 ? display(minor, GSS_C_MECH_CODE) : display(major, GSS_C_GSS_CODE);
  const std::string sentence = explain(static_cast<krb5_error_code>(minor), place);
  if (sentence.empty()) {
    return {Errc::unauthenticated, fmt::format("Kerberos with {}, {}: {}", place.server, place.source, detail)};
  }
  return {Errc::unauthenticated, fmt::format("{} ({})", sentence, detail)};
}

}  // namespace ydl::hrpc::sasl
