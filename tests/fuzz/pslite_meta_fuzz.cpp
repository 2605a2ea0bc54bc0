#include "pslite/meta_codec.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// A decoded message must be equal after it was encoded and decoded again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto meta = ydl::pslite::decode_meta(bytes);
  if (!meta) return 0;
  const auto again = ydl::pslite::decode_meta(ydl::pslite::encode(*meta));
  if (!again || *again != *meta) std::abort();
  return 0;
}
