#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace ydl::hrpc::sasl {

enum class Direction { encrypt, decrypt };

// The privacy layer's cipher for one direction. Its state continues from message to message.
class DigestCipher {
 public:
  DigestCipher() = default;
  DigestCipher(const DigestCipher&) = delete;
  DigestCipher& operator=(const DigestCipher&) = delete;
  virtual ~DigestCipher() = default;

  // 1 for a stream cipher.
  [[nodiscard]] virtual std::size_t block_size() const = 0;
  // Encrypts or decrypts in place. The length must be a multiple of the block size.
  virtual void apply(std::string& bytes) = 0;
};

// `key` is the 16 bytes of Kc.
[[nodiscard]] std::unique_ptr<DigestCipher> make_digest_cipher(std::string_view cipher, std::string_view key,
                                                               Direction direction);

}  // namespace ydl::hrpc::sasl
