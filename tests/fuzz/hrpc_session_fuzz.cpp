#include "hrpc/errors.hpp"
#include "hrpc/session_fsm.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// The bytes of a server for a client with a token. Without the token's password, no answer of a server may be accepted,
// unless the server declares that it runs without security.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ydl::hrpc;
  Identity identity{.user = "alice",
                    .token = Token{"id", "password", "kind", "service"},
                    .security = Security::kerberos,
                    .protections = {Protection::privacy, Protection::integrity, Protection::authentication}};
  SessionFsm session({.client = {},
                      .handshake = {.identity = std::move(identity), .server_host = "host", .client_nonce = "nonce"},
                      .protocol = "org.example.Protocol",
                      .max_response = 4096});
  (void)session.start();
  const auto step = session.feed({reinterpret_cast<const char*>(data), size});
  if (session.open() || !step.answers.empty()) std::abort();
  return 0;
}
