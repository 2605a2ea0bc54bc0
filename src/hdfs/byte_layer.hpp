#pragma once

#include "core/result.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace ydl::hrpc::sasl {
class Mechanism;
}

namespace ydl::hdfs {

// The negotiated protection of all bytes of a data connection after the handshake. Pure. Calls must be in the order of
// the bytes, because both sides count messages.
class ByteLayer {
 public:
  ByteLayer() = default;
  ByteLayer(const ByteLayer&) = delete;
  ByteLayer& operator=(const ByteLayer&) = delete;
  virtual ~ByteLayer() = default;

  // Protects these pieces; returns the bytes to send.
  [[nodiscard]] virtual core::Result<std::string> seal(std::span<const std::string_view> pieces) = 0;

  // Returns the plain bytes that can be decoded so far. Received bytes may be divided anywhere; incomplete messages are
  // kept for the next call. Errors: protocol (a byte was modified, or a length is above the limit).
  [[nodiscard]] virtual core::Result<std::string> open(std::span<const char> received) = 0;
};

// DIGEST-MD5's own integrity and privacy, a sequence of: u32be length | wrapped bytes.
[[nodiscard]] std::unique_ptr<ByteLayer> make_sasl_layer(std::unique_ptr<hrpc::sasl::Mechanism> mechanism);

struct AesKey {
  std::string key;  // 16, 24 or 32 bytes
  std::string iv;   // 16 bytes
};
// AES in counter mode, without frames and checksums. Errors: protocol (invalid length of the key).
[[nodiscard]] core::Result<std::unique_ptr<ByteLayer>> make_aes_layer(const AesKey& sending, const AesKey& receiving);

}  // namespace ydl::hdfs
