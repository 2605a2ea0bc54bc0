#pragma once

#include "core/result.hpp"
#include "hrpc/options.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace ydl::hrpc::sasl {

// How DIGEST-MD5 protects the bytes after authentication. Each direction has its own keys and its own message counter:
//
//   integrity   message | MAC | 0001 | u32 count               MAC = HMAC-MD5(signing key, count | message), 10 bytes
//   privacy     E(message | padding | MAC) | 0001 | u32 count   E continues from message to message
class DigestLayer {
 public:
  DigestLayer() = default;
  DigestLayer(const DigestLayer&) = delete;
  DigestLayer& operator=(const DigestLayer&) = delete;
  virtual ~DigestLayer() = default;

  [[nodiscard]] virtual std::string wrap(std::string_view plain) = 0;
  // Errors: corrupt.
  [[nodiscard]] virtual core::Result<std::string> unwrap(std::string_view wrapped) = 0;
};

// `session_key` is MD5(A1). Ciphers: "3des", "rc4", "rc4-56", "rc4-40".
[[nodiscard]] std::unique_ptr<DigestLayer> make_integrity_layer(std::string_view session_key);
[[nodiscard]] std::unique_ptr<DigestLayer> make_privacy_layer(std::string_view session_key, std::string_view cipher);

[[nodiscard]] bool is_known_cipher(std::string_view cipher);

}  // namespace ydl::hrpc::sasl
