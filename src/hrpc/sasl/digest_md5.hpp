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

// A token as user name and password: base64 of its identifier and of its password.
[[nodiscard]] DigestCredentials digest_credentials(const Token& token);

struct DigestOptions {
  DigestCredentials credentials;
  std::string digest_uri;                 // "/default" for RPC, "hdfs/0" for data connections
  std::vector<Protection> protections;    // allowed, in order of preference
  std::vector<std::string> ciphers = {};  // for privacy, in order of preference; empty: 3des, then rc4
  std::string authzid = {};               // omitted if empty
  std::string client_nonce = {};          // empty: random; tests set it
};

// The client side of DIGEST-MD5 (RFC 2831), compatible with the JDK. The first step() takes the server's challenge and
// returns the response. The second takes "rspauth=..." and checks that the server has the password too. Errors:
// security_refused (no common protection or cipher), unauthenticated (the server's proof is wrong), corrupt (invalid
// message).
[[nodiscard]] std::unique_ptr<Mechanism> make_digest_md5(DigestOptions options);

}  // namespace ydl::hrpc::sasl
