// TLS for a server whose callers must have certificates.
#include "core/assert.hpp"
#include "net/openssl_pointers.hpp"
#include "net/tls.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <string_view>

#include <fmt/format.h>

namespace ydl::net {
namespace {

using openssl::Certificate;
using openssl::Key;

constexpr long kLargestChain = 16L << 10U;  // bytes of certificates that a caller may send
// Only suites with forward secrecy: each connection has its own key agreement.
constexpr const char* kTls12Ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

std::unexpected<core::Error> refused(std::string_view what) {
  const auto* reason = ::ERR_reason_error_string(::ERR_peek_last_error());
  ::ERR_clear_error();
  return core::fail(core::Errc::corrupt, fmt::format("{} cannot be used for TLS: {}", what,
                                                     reason == nullptr ? "OpenSSL gives no reason" : reason));
}

// Decodes one object; null unless it consists of all the bytes.
template <class Object>
Object whole(std::string_view der, auto decode) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  const auto* end = at + der.size();
  Object object(decode(nullptr, &at, static_cast<long>(der.size())));
  return at == end ? std::move(object) : nullptr;
}
Certificate certificate_of(std::string_view der) {
  return whole<Certificate>(der, ::d2i_X509);
}
Key key_of(std::string_view der) {
  return whole<Key>(
      der, [](EVP_PKEY** into, const unsigned char** at, long size) { return ::d2i_AutoPrivateKey(into, at, size); });
}

// The ResourceManager's CA signs the certificates of all masters, so any master would pass an ordinary check of the
// chain. The certificate itself must therefore be in the list.
int is_in_the_list(X509_STORE_CTX* context, void* /*unused*/) {
  const auto* shown = ::X509_STORE_CTX_get0_cert(context);
  bool found = false;
  if (auto* listed = ::X509_STORE_CTX_get1_certs(context, ::X509_get_subject_name(shown)); listed != nullptr) {
    for (int i = 0; i < sk_X509_num(listed); ++i) found = found || ::X509_cmp(sk_X509_value(listed, i), shown) == 0;
    sk_X509_pop_free(listed, ::X509_free);
  }
  if (!found) ::X509_STORE_CTX_set_error(context, X509_V_ERR_CERT_UNTRUSTED);
  return found ? 1 : 0;
}

core::Result<void> use_own(SSL_CTX* context, const MutualIdentity& identity) {
  const auto key = key_of(identity.key);
  if (!key) return refused("the private key");
  for (std::size_t i = 0; i < identity.chain.size(); ++i) {
    const auto certificate = certificate_of(identity.chain[i]);
    const auto used = certificate && (i == 0 ? ::SSL_CTX_use_certificate(context, certificate.get()) == 1
                                             : ::SSL_CTX_add1_chain_cert(context, certificate.get()) == 1);
    if (!used) return refused(fmt::format("certificate {} of the chain", i + 1));
  }
  if (::SSL_CTX_use_PrivateKey(context, key.get()) != 1 || ::SSL_CTX_check_private_key(context) != 1)
    return refused("the private key with its certificate");
  return {};
}

core::Result<void> demand_one_of(SSL_CTX* context, const std::vector<std::string>& callers) {
  if (callers.empty()) return core::fail(core::Errc::corrupt, "the list of callers' certificates is empty");
  for (const auto& der : callers) {
    const auto certificate = certificate_of(der);
    if (!certificate || ::X509_STORE_add_cert(::SSL_CTX_get_cert_store(context), certificate.get()) != 1 ||
        ::SSL_CTX_add_client_CA(context, certificate.get()) != 1)
      return refused("a caller's certificate");
  }
  ::SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  ::SSL_CTX_set_cert_verify_callback(context, is_in_the_list, nullptr);
  ::SSL_CTX_set_max_cert_list(context, kLargestChain);
  return {};
}

}  // namespace

core::Result<TlsContext> TlsContext::mutual_server(const MutualIdentity& identity) {
  ::ERR_clear_error();
  TlsContext side(Side::server);
  auto* context = side.context_.get();
  YDL_ASSERT(::SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
             ::SSL_CTX_set_cipher_list(context, kTls12Ciphers) == 1);
  // The caller is authenticated once per connection, and sessions are not resumed.
  ::SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE);
  if (identity.chain.empty()) return core::fail(core::Errc::corrupt, "the private key has no certificate");
  if (auto used = use_own(context, identity); !used) return core::fail(used.error());
  if (auto demanded = demand_one_of(context, identity.callers); !demanded) return core::fail(demanded.error());
  return side;
}

}  // namespace ydl::net
