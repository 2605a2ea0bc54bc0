#pragma once

#include "core/result.hpp"

#include <krb5/krb5.h>
#include <string>

namespace ydl::hrpc::sasl {

// A context of libkrb5. For one thread.
class Krb5Context {
 public:
  Krb5Context();
  ~Krb5Context();
  Krb5Context(const Krb5Context&) = delete;
  Krb5Context& operator=(const Krb5Context&) = delete;

  // False if krb5.conf cannot be read; error() then has the reason.
  [[nodiscard]] explicit operator bool() const { return context_ != nullptr; }
  [[nodiscard]] core::Error error() const;
  [[nodiscard]] krb5_context get() const { return context_; }

  // The library's message for one of its error codes.
  [[nodiscard]] std::string message(krb5_error_code code) const;
  [[nodiscard]] std::string name_of(krb5_const_principal principal) const;

 private:
  krb5_context context_ = nullptr;
  krb5_error_code failure_ = 0;
};

// Closes a handle of the library at the end of a scope.
template <class Handle, auto close>
class Krb5Handle {
 public:
  Krb5Handle(krb5_context context, Handle handle) : context_(context), handle_(handle) {}
  ~Krb5Handle() { close(context_, handle_); }
  Krb5Handle(const Krb5Handle&) = delete;
  Krb5Handle& operator=(const Krb5Handle&) = delete;

 private:
  krb5_context context_;
  Handle handle_;
};

}  // namespace ydl::hrpc::sasl
