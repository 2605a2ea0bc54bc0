#pragma once

#include "hrpc/sasl/mechanism.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ydl::hrpc {
struct Token;
}

namespace ydl::hrpc::sasl {

struct DigestCredentials {
  std::string username;
  std::string password;
};

// How a token becomes a user and a password: base64 of its identifier and of its password.
[[nodiscard]] DigestCredentials digest_credentials(const Token& token);

struct DigestOptions {
  DigestCredentials credentials;
  std::string digest_uri;                 // "/default" in RPC, "hdfs/0" on data connections
  std::vector<Protection> protections;    // allowed, in order of preference
  std::vector<std::string> ciphers = {};  // for privacy, in order of preference; empty: 3des, then rc4
  std::string authzid = {};               // left out when empty
  std::string client_nonce = {};          // empty: random; tests set it
};

// DIGEST-MD5 (RFC 2831) as the JDK speaks it, the client's side. The first step() takes the server's challenge and
// gives the response; the second takes "rspauth=..." and checks that the server knows the password too.
// Errors: unauthenticated (no common protection or cipher, the server's proof is wrong), corrupt (not a challenge).
[[nodiscard]] std::unique_ptr<Mechanism> make_digest_md5(DigestOptions options);

}  // namespace ydl::hrpc::sasl
