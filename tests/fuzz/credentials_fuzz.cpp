#include "yarn/credentials.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// Decoded credentials are equal after they were encoded in both formats and decoded again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ydl::yarn;
  const auto credentials = decode_credentials({reinterpret_cast<const char*>(data), size});
  if (!credentials) return 0;
  for (const auto format : {CredentialsFormat::writable, CredentialsFormat::protobuf}) {
    const auto again = decode_credentials(encode_credentials(*credentials, format));
    if (!again || *again != *credentials) std::abort();
  }
  return 0;
}
