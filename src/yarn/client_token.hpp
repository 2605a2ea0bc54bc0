#pragma once

#include "hrpc/token.hpp"
#include "yarn/ids.hpp"

#include <optional>
#include <string>
#include <string_view>

// YARN's client-to-AM token, with which a user of a secure cluster proves to an application's master who they are.
//
//   identifier   protobuf {1: application attempt, 2: the user's principal}
//   password     HMAC-SHA1(key of the attempt, identifier)
//
// The ResourceManager gives it, with the application's report, to users who may view the application, and the attempt's
// key to its master. So a master checks a token without asking anybody.
namespace ydl::yarn {

// A token as the key of a call to the master: "yarn.BASE64(identifier).BASE64(password)".
[[nodiscard]] std::string bearer_of(const hrpc::Token& token);

struct TokenOfClient {
  ApplicationAttemptId attempt;
  std::string client;  // the principal: "alice@EXAMPLE.ORG"
  bool operator==(const TokenOfClient&) const = default;
};
// What a genuine token says; nothing of any other. An empty key makes no token genuine.
[[nodiscard]] std::optional<TokenOfClient> check_bearer(std::string_view bearer, std::string_view key);

}  // namespace ydl::yarn
