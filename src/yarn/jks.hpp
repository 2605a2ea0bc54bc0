#pragma once

#include "core/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::yarn {

// A Java key store ("JKS"). The ResourceManager creates one for each ApplicationMaster if its proxy uses HTTPS:
//
//   FEEDFEED, version 2, number of entries
//   each entry: 1 (key) or 2 (certificate), alias, date
//     key          length, EncryptedPrivateKeyInfo; number of certificates, each as below
//     certificate  its type "X.509", length, DER
//   SHA-1(password, "Mighty Aphrodite", all bytes before it)
//
// Numbers are big-endian and have 4 bytes, dates have 8; texts have a length of 2 bytes. A key is PKCS#8 under an
// algorithm of Sun's own (1.3.6.1.4.1.42.2.17.1.1): 20 bytes of salt, the key XORed with a chain of SHA-1 that begins
// with the salt, and SHA-1(password, key). The password is UTF-16 in all of these.
struct KeyStore {
  struct Key {
    std::string alias;
    std::string key;                 // PKCS#8, DER
    std::vector<std::string> chain;  // DER; the first one belongs to the key
  };
  struct Certificate {
    std::string alias;
    std::string certificate;  // DER
  };
  std::vector<Key> keys = {};
  std::vector<Certificate> certificates = {};
};

inline constexpr std::size_t kMaxKeyStore = std::size_t{1} << 20U;  // one from a ResourceManager has 3 KB

// The ASCII password is used for the store and its keys. The content of certificates and keys is not checked. Errors:
// corrupt, also for a wrong password. Pure; the memory needed depends only on the number of bytes.
[[nodiscard]] core::Result<KeyStore> decode_jks(std::string_view bytes, std::string_view password);

// The digest at the end of a store with these bytes.
[[nodiscard]] std::string jks_digest(std::string_view bytes, std::string_view password);

}  // namespace ydl::yarn
