#include "hrpc/sasl/krb5_library.hpp"

#include "hrpc/errors.hpp"

#include <fmt/format.h>

namespace ydl::hrpc::sasl {

Krb5Context::Krb5Context() : failure_(krb5_init_context(&context_)) {
  if (failure_ != 0) context_ = nullptr;
}

Krb5Context::~Krb5Context() {
  if (context_ != nullptr) krb5_free_context(context_);
}

core::Error Krb5Context::error() const {
  return {
      Errc::unauthenticated,
      fmt::format("Kerberos cannot be used: {}; check /etc/krb5.conf, or the file in KRB5_CONFIG", message(failure_))};
}

std::string Krb5Context::message(krb5_error_code code) const {
  const char* text = krb5_get_error_message(context_, code);
  std::string copy = text;
  krb5_free_error_message(context_, text);
  return copy;
}

std::string Krb5Context::name_of(krb5_const_principal principal) const {
  char* text = nullptr;
  if (krb5_unparse_name(context_, principal, &text) != 0) return "an unknown principal";
  std::string copy = text;
  krb5_free_unparsed_name(context_, text);
  return copy;
}

}  // namespace ydl::hrpc::sasl
