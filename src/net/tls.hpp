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

// TLS 1.3 between the parts of one job. A master has a key pair of its own and a certificate that nobody has signed but
// itself; whoever calls it knows the certificate's fingerprint and speaks to nobody else (docs/adr/0014).
namespace ydl::net {

// What became of a read, a write or a part of a handshake that may not block.
struct Attempt {
  enum class Wait { readable, writable };
  boost::system::error_code error = {};
  std::size_t bytes = 0;
  std::optional<Wait> wait = std::nullopt;  // nothing happened: try again when the socket is so
};

// The other side does not speak TLS as we do. Its category's message is OpenSSL's.
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

// The side of a server whose callers have certificates of their own. All of it is DER.
struct MutualIdentity {
  std::string key;                   // PKCS#8
  std::vector<std::string> chain;    // the first is the key's own
  std::vector<std::string> callers;  // a caller shows one of these and proves that it has the key
};

// One connection's TLS, directly on its socket: between calls it holds no buffers.
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

// What sessions of one side have in common.
class TlsContext {
 public:
  // Errors: corrupt.
  [[nodiscard]] static core::Result<TlsContext> server(const Identity& identity);
  // For callers that are not ours: TLS 1.2 as well, which is what Java 8 has. Nobody else gets through the handshake: a
  // certificate that one of `callers` has signed is not enough. How long a certificate is valid does not count.
  // Errors: corrupt, with what OpenSSL refuses.
  [[nodiscard]] static core::Result<TlsContext> mutual_server(const MutualIdentity& identity);
  // Takes any certificate: the caller compares its fingerprint before it sends anything.
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
