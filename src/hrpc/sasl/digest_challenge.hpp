#pragma once

#include "core/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::hrpc::sasl {

// A DIGEST-MD5 challenge:
//
//   realm="default",nonce="...",qop="auth-conf",charset=utf-8,cipher="3des,rc4",algorithm=md5-sess
struct DigestChallenge {
  std::string realm;  // the first one if several are offered
  std::string nonce;
  std::vector<std::string> qops;  // "auth" if the server names none
  std::vector<std::string> ciphers;
  std::size_t max_buffer = 65536;  // the longest message that the server accepts
};

// Errors: corrupt.
[[nodiscard]] core::Result<DigestChallenge> parse_challenge(std::string_view text);

// The value of "rspauth=..." in the server's last message. Errors: corrupt.
[[nodiscard]] core::Result<std::string> parse_rspauth(std::string_view text);

}  // namespace ydl::hrpc::sasl
