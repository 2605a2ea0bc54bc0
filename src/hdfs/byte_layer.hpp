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

// What the two sides agreed to do with every byte of a data connection after the handshake. Pure, and in order: both
// sides count.
class ByteLayer {
 public:
  ByteLayer() = default;
  ByteLayer(const ByteLayer&) = delete;
  ByteLayer& operator=(const ByteLayer&) = delete;
  virtual ~ByteLayer() = default;

  // The bytes to send for these pieces.
  [[nodiscard]] virtual core::Result<std::string> seal(std::span<const std::string_view> pieces) = 0;

  // What received bytes, cut anywhere, make readable; what is not whole waits inside.
  // Errors: protocol (a byte was changed on the way, or a length is beyond the limit).
  [[nodiscard]] virtual core::Result<std::string> open(std::span<const char> received) = 0;
};

// u32be length | wrapped bytes, again and again: DIGEST-MD5's own integrity and privacy.
[[nodiscard]] std::unique_ptr<ByteLayer> make_sasl_layer(std::unique_ptr<hrpc::sasl::Mechanism> mechanism);

struct AesKey {
  std::string key;  // 16, 24 or 32 bytes
  std::string iv;   // 16 bytes
};
// AES in counter mode, without frames and without a checksum of its own. Errors: protocol (a key of another length).
[[nodiscard]] core::Result<std::unique_ptr<ByteLayer>> make_aes_layer(const AesKey& sending, const AesKey& receiving);

}  // namespace ydl::hdfs
