#pragma once

#include "core/result.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/system/error_code.hpp>

struct ssl_st;
struct ssl_ctx_st;

// TLS 1.3 between the processes of one job. A master has its own key pair and a self-signed certificate. Its callers
// know the fingerprint of the certificate and accept no other (docs/adr/0014).
namespace ydl::net {

// The outcome of a non-blocking read, write or handshake step.
struct Attempt {
  enum class Wait { readable, writable };
  boost::system::error_code error = {};
  std::size_t bytes = 0;
  std::optional<Wait> wait = std::nullopt;  // set: nothing was done; try again when the socket is in this state
};

// The peer violates TLS or uses incompatible settings. The message is OpenSSL's.
[[nodiscard]] boost::system::error_code tls_error(unsigned long code);
[[nodiscard]] bool is_tls_error(const boost::system::error_code& error);

// A key pair (P-256) and its certificate, both as PEM.
struct Identity {
  std::string certificate;
  std::string key;
  bool operator==(const Identity&) const = default;
};
[[nodiscard]] Identity make_identity();
// SHA-256 of the certificate, in lower-case hexadecimal. Errors: corrupt.
[[nodiscard]] core::Result<std::string> fingerprint_of(const Identity& identity);

// The keys of a server whose callers have their own certificates. All values are DER.
struct MutualIdentity {
  std::string key;                   // PKCS#8
  std::vector<std::string> chain;    // the first certificate belongs to the key
  std::vector<std::string> callers;  // a caller must present one of these and prove that it has its key
};

// The TLS of one connection, directly on its socket. It holds no buffers between calls, which saves memory with
// thousands of connections.
class TlsSession {
 public:
  explicit TlsSession(ssl_st* session) : session_(session) {}

  void attach(int socket);
  [[nodiscard]] Attempt handshake();
  [[nodiscard]] Attempt read(void* data, std::size_t size);
  [[nodiscard]] Attempt write(const void* data, std::size_t size);
  [[nodiscard]] bool has_pending() const;
  [[nodiscard]] std::string peer_fingerprint() const;

 private:
  struct Free {
    void operator()(ssl_st* session) const noexcept;
  };
  [[nodiscard]] Attempt outcome(int result, std::size_t bytes);

  std::unique_ptr<ssl_st, Free> session_;
};

// The settings that all sessions of a server, or of a client, share.
class TlsContext {
 public:
  // Errors: corrupt.
  [[nodiscard]] static core::Result<TlsContext> server(const Identity& identity);
  // For callers that are not ydl: also accepts TLS 1.2, the version of Java 8. Only the exact certificates in `callers`
  // pass the handshake; a certificate that one of them signed does not. The validity period is not checked. Errors:
  // corrupt, with OpenSSL's reason.
  [[nodiscard]] static core::Result<TlsContext> mutual_server(const MutualIdentity& identity);
  // Accepts any certificate: the caller of this class must compare its fingerprint before it sends anything.
  [[nodiscard]] static TlsContext client();

  [[nodiscard]] std::unique_ptr<TlsSession> session() const;

 private:
  enum class Side { server, client };
  TlsContext(Side side);
  struct Free {
    void operator()(ssl_ctx_st* context) const noexcept;
  };
  Side side_;
  std::unique_ptr<ssl_ctx_st, Free> context_;
};

}  // namespace ydl::net
