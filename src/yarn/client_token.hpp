#pragma once

#include "hrpc/token.hpp"
#include "yarn/ids.hpp"

#include <optional>
#include <string>
#include <string_view>

// YARN's client-to-AM token, with which a user of a secure cluster authenticates to the master of an application.
//
//   identifier   protobuf {1: application attempt, 2: the user's principal}
//   password     HMAC-SHA1(key of the attempt, identifier)
//
// The ResourceManager includes the token in the application's report for users who may view the application, and gives
// the attempt's key to the master. So a master can check a token without a request to another server.
namespace ydl::yarn {

// The token as the bearer key of an HTTP call to the master: "yarn.BASE64(identifier).BASE64(password)".
[[nodiscard]] std::string bearer_of(const hrpc::Token& token);

struct TokenOfClient {
  ApplicationAttemptId attempt;
  std::string client;  // the principal: "alice@EXAMPLE.ORG"
  bool operator==(const TokenOfClient&) const = default;
};
// The content of a token with a valid password; nothing if it is invalid. With an empty key every token is invalid.
[[nodiscard]] std::optional<TokenOfClient> check_bearer(std::string_view bearer, std::string_view key);

}  // namespace ydl::yarn
