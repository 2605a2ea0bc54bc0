#pragma once

#include <memory>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

// Owning pointers to OpenSSL objects.
namespace ydl::net::openssl {

template <auto function>
struct FreeWith {
  template <class T>
  void operator()(T* pointer) const noexcept {
    function(pointer);
  }
};
using Bio = std::unique_ptr<BIO, FreeWith<::BIO_free_all>>;
using Key = std::unique_ptr<EVP_PKEY, FreeWith<::EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, FreeWith<::X509_free>>;

}  // namespace ydl::net::openssl
