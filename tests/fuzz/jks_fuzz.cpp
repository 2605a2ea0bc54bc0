#include "yarn/jks.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

// A store is decoded as it is, and again with a correct digest, because the decoder stops early at a wrong digest.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ydl::yarn;
  constexpr std::string_view kPassword = "changeit";
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)decode_jks(bytes, kPassword);
  const auto store = decode_jks(std::string(bytes) + jks_digest(bytes, kPassword), kPassword);
  if (!store) return 0;
  std::size_t total = 0;
  for (const auto& entry : store->keys) {
    total += entry.alias.size() + entry.key.size();
    for (const auto& certificate : entry.chain) total += certificate.size();
  }
  for (const auto& entry : store->certificates) total += entry.alias.size() + entry.certificate.size();
  if (total > size) std::abort();
  return 0;
}
