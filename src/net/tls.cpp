#include "net/tls.hpp"

#include "core/assert.hpp"
#include "core/sha256.hpp"
#include "net/openssl_pointers.hpp"

#include <cerrno>
#include <ctime>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <boost/asio/error.hpp>

namespace ydl::net {
namespace {

using openssl::Bio;
using openssl::Certificate;
using openssl::FreeWith;
using openssl::Key;

constexpr long kValidSeconds = 10L * 365 * 86'400;  // not checked: clients compare the fingerprint only

class TlsCategory final : public boost::system::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "tls"; }
  [[nodiscard]] std::string message(int value) const override {
    const auto* reason = ::ERR_reason_error_string(ERR_PACK(ERR_LIB_SSL, 0, value));
    return reason == nullptr ? "unknown TLS error" : reason;
  }
};

const TlsCategory& category() {
  static const TlsCategory instance;
  return instance;
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const auto size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

Bio reader(const std::string& text) {
  return Bio(::BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Certificate certificate_of(const Identity& identity) {
  return Certificate(::PEM_read_bio_X509(reader(identity.certificate).get(), nullptr, nullptr, nullptr));
}

std::string fingerprint(X509* certificate) {
  unsigned char* bytes = nullptr;
  const int size = ::i2d_X509(certificate, &bytes);
  YDL_ASSERT(size > 0);
  core::Sha256 hash;
  hash.add({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)});
  ::OPENSSL_free(bytes);
  return hash.hex();
}

Certificate self_signed(EVP_PKEY* key) {
  Certificate certificate(::X509_new());
  YDL_ASSERT(certificate && ::X509_set_version(certificate.get(), X509_VERSION_3) == 1);
  const std::unique_ptr<BIGNUM, FreeWith<::BN_free>> serial(::BN_new());
  YDL_ASSERT(serial && ::BN_rand(serial.get(), 127, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
             ::BN_to_ASN1_INTEGER(serial.get(), ::X509_get_serialNumber(certificate.get())) != nullptr);
  ::X509_gmtime_adj(::X509_getm_notBefore(certificate.get()), -86'400);  // clocks of hosts differ
  ::X509_gmtime_adj(::X509_getm_notAfter(certificate.get()), kValidSeconds);
  auto* name = ::X509_get_subject_name(certificate.get());
  static constexpr std::string_view kName = "ydl master";
  ::X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(kName.data()),
                               static_cast<int>(kName.size()), -1, 0);
  ::X509_set_issuer_name(certificate.get(), name);
  YDL_ASSERT(::X509_set_pubkey(certificate.get(), key) == 1 && ::X509_sign(certificate.get(), key, ::EVP_sha256()) > 0);
  return certificate;
}

}  // namespace

boost::system::error_code tls_error(unsigned long code) {
  return {ERR_GET_REASON(code), category()};
}

bool is_tls_error(const boost::system::error_code& error) {
  return error.category() == category();
}

// The assertions only fail without kernel randomness, or in an OpenSSL without P-256.
Identity make_identity() {
  const Key key(::EVP_EC_gen("P-256"));
  YDL_ASSERT(key);
  const auto certificate = self_signed(key.get());
  const Bio key_text(::BIO_new(::BIO_s_mem()));
  const Bio certificate_text(::BIO_new(::BIO_s_mem()));
  YDL_ASSERT(::PEM_write_bio_PKCS8PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
  YDL_ASSERT(::PEM_write_bio_X509(certificate_text.get(), certificate.get()) == 1);
  return {text_of(certificate_text.get()), text_of(key_text.get())};
}

core::Result<std::string> fingerprint_of(const Identity& identity) {
  const auto certificate = certificate_of(identity);
  if (!certificate) return core::fail(core::Errc::corrupt, "the master's certificate cannot be read");
  return fingerprint(certificate.get());
}

// ---- a connection ----------------------------------------------------------------------------------------------

void TlsSession::Free::operator()(ssl_st* session) const noexcept {
  ::SSL_free(session);
}

void TlsSession::attach(int socket) {
  YDL_ASSERT(::SSL_set_fd(session_.get(), socket) == 1);
}

Attempt TlsSession::outcome(int result, std::size_t bytes) {
  if (result > 0) return {{}, bytes, std::nullopt};
  const int system = errno;
  switch (::SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return {{}, 0, Attempt::Wait::readable};
    case SSL_ERROR_WANT_WRITE:
      return {{}, 0, Attempt::Wait::writable};
    case SSL_ERROR_ZERO_RETURN:
      return {boost::asio::error::eof};
    case SSL_ERROR_SYSCALL:
      if (system == 0) return {boost::asio::error::eof};
      return {boost::system::error_code(system, boost::system::system_category())};
    default:
      return {tls_error(::ERR_peek_error())};
  }
}

Attempt TlsSession::handshake() {
  ::ERR_clear_error();
  errno = 0;
  return outcome(::SSL_do_handshake(session_.get()), 0);
}

Attempt TlsSession::read(void* data, std::size_t size) {
  ::ERR_clear_error();
  errno = 0;
  std::size_t bytes = 0;
  const int result = ::SSL_read_ex(session_.get(), data, size, &bytes);
  return outcome(result, bytes);
}

Attempt TlsSession::write(const void* data, std::size_t size) {
  ::ERR_clear_error();
  errno = 0;
  std::size_t bytes = 0;
  const int result = ::SSL_write_ex(session_.get(), data, size, &bytes);
  return outcome(result, bytes);
}

bool TlsSession::has_pending() const {
  return ::SSL_has_pending(session_.get()) == 1;
}

std::string TlsSession::peer_fingerprint() const {
  const Certificate certificate(::SSL_get1_peer_certificate(session_.get()));
  return certificate ? fingerprint(certificate.get()) : "";
}

// ---- a side ----------------------------------------------------------------------------------------------------

void TlsContext::Free::operator()(ssl_ctx_st* context) const noexcept {
  ::SSL_CTX_free(context);
}

TlsContext::TlsContext(Side side)
    : side_(side), context_(::SSL_CTX_new(side == Side::server ? ::TLS_server_method() : ::TLS_client_method())) {
  auto* context = context_.get();
  YDL_ASSERT(context != nullptr && ::SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1);
  ::SSL_CTX_set_mode(context,
                     SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // HTTP messages contain their length, so a missing TLS close notification cannot hide a truncated message.
  ::SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
  ::SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  ::SSL_CTX_set_num_tickets(context, 0);
  ::SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
}

core::Result<TlsContext> TlsContext::server(const Identity& identity) {
  TlsContext side(Side::server);
  const auto certificate = certificate_of(identity);
  const Key key(::PEM_read_bio_PrivateKey(reader(identity.key).get(), nullptr, nullptr, nullptr));
  if (!certificate || !key || ::SSL_CTX_use_certificate(side.context_.get(), certificate.get()) != 1 ||
      ::SSL_CTX_use_PrivateKey(side.context_.get(), key.get()) != 1) {
    return core::fail(core::Errc::corrupt, "the master's certificate and key cannot be read");
  }
  return side;
}

TlsContext TlsContext::client() {
  return TlsContext(Side::client);
}

std::unique_ptr<TlsSession> TlsContext::session() const {
  auto* session = ::SSL_new(context_.get());
  YDL_ASSERT(session != nullptr);
  if (side_ == Side::server)
    ::SSL_set_accept_state(session);
  else
    ::SSL_set_connect_state(session);
  return std::make_unique<TlsSession>(session);
}

}  // namespace ydl::net
