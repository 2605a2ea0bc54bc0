#pragma once

#include <string>
#include <string_view>

namespace ydl::core {

// Derives a key for one purpose from a shared key, with HKDF and SHA-256 (RFC 5869): 32 bytes in lower-case
// hexadecimal. The derived key reveals neither the shared key nor the keys for other purposes.
[[nodiscard]] std::string derive_key(std::string_view key, std::string_view purpose);

}  // namespace ydl::core
