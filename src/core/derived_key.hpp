#pragma once

#include <string>
#include <string_view>

namespace ydl::core {

// A key for one purpose, from a key that several purposes share: HKDF with SHA-256 (RFC 5869), 32 bytes in lower-case
// hexadecimal. Who has it learns nothing of the key that it comes from, nor of those for other purposes.
[[nodiscard]] std::string derive_key(std::string_view key, std::string_view purpose);

}  // namespace ydl::core
