#include "yarn/jks.hpp"

#include "core/assert.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <fmt/format.h>

namespace ydl::yarn {
namespace {

constexpr std::uint32_t kMagic = 0xFEEDFEEDU;
constexpr std::uint32_t kVersion = 2;
constexpr std::uint32_t kKeyEntry = 1;
constexpr std::uint32_t kCertificateEntry = 2;
constexpr std::size_t kDate = 8;
constexpr std::size_t kSha1 = 20;
constexpr std::string_view kWhitener = "Mighty Aphrodite";
constexpr std::string_view kCertificateType = "X.509";
constexpr std::string_view kSunsProtection = "1.3.6.1.4.1.42.2.17.1.1";

std::unexpected<core::Error> corrupt(std::string_view what) {
  return core::fail(core::Errc::corrupt, fmt::format("this is not a valid Java key store: {}", what));
}
std::unexpected<core::Error> cut() {
  return corrupt("it is truncated");
}

// It only fails in an OpenSSL without SHA-1, and ours has it.
std::string sha1(std::initializer_list<std::string_view> parts) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&::EVP_MD_CTX_free)> hash(::EVP_MD_CTX_new(), ::EVP_MD_CTX_free);
  YDL_ASSERT(hash && ::EVP_DigestInit_ex(hash.get(), ::EVP_sha1(), nullptr) == 1);
  for (const auto part : parts) YDL_ASSERT(::EVP_DigestUpdate(hash.get(), part.data(), part.size()) == 1);
  std::string digest(kSha1, '\0');
  YDL_ASSERT(::EVP_DigestFinal_ex(hash.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr) == 1);
  return digest;
}

bool same(std::string_view one, std::string_view other) {
  return one.size() == other.size() && ::CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

std::string utf16(std::string_view ascii) {
  std::string text;
  for (const char c : ascii) text.append({'\0', c});
  return text;
}

// Reads values from the front of a store. After a value was incomplete, all further reads return empty values.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  std::string_view bytes(std::size_t size) {
    if (failed_ || size > rest_.size()) {
      failed_ = true;
      return {};
    }
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::uint32_t number(std::size_t size = 4) {
    std::uint32_t value = 0;
    for (const char c : bytes(size)) value = value << 8U | static_cast<unsigned char>(c);
    return value;
  }
  std::string_view text() { return bytes(number(2)); }
  std::string_view sized() { return bytes(number()); }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

core::Result<std::string> take_certificate(Reader& reader) {
  const auto type = reader.text();
  const auto certificate = reader.sized();
  if (reader.failed()) return cut();
  if (type != kCertificateType) return corrupt("it contains a certificate that is not X.509");
  return std::string(certificate);
}

// The bytes that Sun's algorithm protects: salt, encrypted key, digest.
core::Result<std::string> protected_bytes(std::string_view info) {
  const auto* at = reinterpret_cast<const unsigned char*>(info.data());
  const auto* end = at + info.size();
  const std::unique_ptr<X509_SIG, decltype(&::X509_SIG_free)> decoded(
      ::d2i_X509_SIG(nullptr, &at, static_cast<long>(info.size())), ::X509_SIG_free);
  if (!decoded || at != end) return corrupt("it contains a private key that cannot be decoded");
  const X509_ALGOR* algorithm = nullptr;
  const ASN1_OCTET_STRING* content = nullptr;
  ::X509_SIG_get0(decoded.get(), &algorithm, &content);
  const ASN1_OBJECT* name = nullptr;
  ::X509_ALGOR_get0(&name, nullptr, nullptr, algorithm);
  std::array<char, 64> text{};
  ::OBJ_obj2txt(text.data(), static_cast<int>(text.size()), name, 1);
  if (kSunsProtection != text.data())
    return corrupt(fmt::format("it contains a private key with the unsupported algorithm {}", text.data()));
  return std::string(reinterpret_cast<const char*>(::ASN1_STRING_get0_data(content)),
                     static_cast<std::size_t>(::ASN1_STRING_length(content)));
}

core::Result<std::string> unprotect(std::string_view info, std::string_view password) {
  const auto content = protected_bytes(info);
  if (!content) return core::fail(content.error());
  if (content->size() < 2 * kSha1) return corrupt("it contains a truncated private key");
  const auto check = content->substr(content->size() - kSha1);
  auto key = content->substr(kSha1, content->size() - 2 * kSha1);
  auto mask = content->substr(0, kSha1);
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (i % kSha1 == 0) mask = sha1({password, mask});
    key[i] = static_cast<char>(key[i] ^ mask[i % kSha1]);
  }
  if (!same(sha1({password, key}), check))
    return corrupt("it contains a private key with another password than the store's");
  return key;
}

core::Result<KeyStore::Key> take_key(Reader& reader, std::string alias, std::string_view password) {
  const auto info = reader.sized();
  const auto certificates = reader.number();
  if (reader.failed()) return cut();
  KeyStore::Key entry{std::move(alias), {}, {}};
  for (std::uint32_t i = 0; i < certificates; ++i) {
    auto certificate = take_certificate(reader);
    if (!certificate) return core::fail(certificate.error());
    entry.chain.push_back(*std::move(certificate));
  }
  auto key = unprotect(info, password);
  if (!key) return core::fail(key.error());
  entry.key = *std::move(key);
  return entry;
}

core::Result<KeyStore> take_entries(Reader& reader, std::string_view password) {
  KeyStore store;
  const auto entries = reader.number();
  for (std::uint32_t i = 0; i < entries; ++i) {
    const auto kind = reader.number();
    std::string alias(reader.text());
    reader.bytes(kDate);
    if (reader.failed()) return cut();
    if (kind == kKeyEntry) {
      auto key = take_key(reader, std::move(alias), password);
      if (!key) return core::fail(key.error());
      store.keys.push_back(*std::move(key));
    } else if (kind == kCertificateEntry) {
      auto certificate = take_certificate(reader);
      if (!certificate) return core::fail(certificate.error());
      store.certificates.push_back({std::move(alias), *std::move(certificate)});
    } else {
      return corrupt(fmt::format("it contains an entry of the unknown kind {}", kind));
    }
  }
  if (reader.failed()) return cut();
  if (!reader.at_end()) return corrupt("it has bytes after its last entry");
  return store;
}

}  // namespace

std::string jks_digest(std::string_view bytes, std::string_view password) {
  return sha1({utf16(password), kWhitener, bytes});
}

core::Result<KeyStore> decode_jks(std::string_view bytes, std::string_view password) {
  if (bytes.size() > kMaxKeyStore)
    return corrupt(fmt::format("it has {} bytes, but at most {} are allowed", bytes.size(), kMaxKeyStore));
  if (std::ranges::any_of(password, [](char c) { return static_cast<unsigned char>(c) > 0x7fU; }))
    return core::fail(core::Errc::corrupt, "the password of a key store is not ASCII");
  if (bytes.size() < kSha1) return cut();
  const auto content = bytes.substr(0, bytes.size() - kSha1);
  Reader reader(content);
  if (reader.number() != kMagic) return corrupt("it does not start with FEEDFEED");
  if (const auto version = reader.number(); version != kVersion && !reader.failed())
    return corrupt(fmt::format("version {} is not supported", version));
  if (reader.failed()) return cut();
  if (!same(jks_digest(content, password), bytes.substr(content.size())))
    return corrupt("it was modified, or the password is wrong");
  return take_entries(reader, utf16(password));
}

}  // namespace ydl::yarn
