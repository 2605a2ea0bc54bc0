#include "hrpc/sasl/digest_md5.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// The challenge and, after a zero byte, the wrapped messages of the server. Without the password, no message of a
// server may be accepted.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ydl::hrpc;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string_view challenge = bytes.substr(0, bytes.find('\0'));
  const auto digest =
      sasl::make_digest_md5({.credentials = {"user", "password"},
                             .digest_uri = "/default",
                             .protections = {Protection::privacy, Protection::integrity, Protection::authentication}});
  if (!digest->step(challenge) || challenge.size() == size) return 0;
  const std::string_view rest = bytes.substr(challenge.size() + 1);
  if (digest->protection() == Protection::authentication) {
    if (digest->step(rest)) std::abort();
  } else if (digest->unwrap(rest)) {
    std::abort();
  }
  return 0;
}
