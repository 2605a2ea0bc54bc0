#include "yarn/credentials.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// What is read is written again, in both formats, to something that reads the same.
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
