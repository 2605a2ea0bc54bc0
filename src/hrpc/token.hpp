#pragma once

#include <string>
#include <string_view>

namespace hadoop::common {
class TokenProto;
}

namespace ydl::hrpc {

inline constexpr std::string_view kHdfsToken = "HDFS_DELEGATION_TOKEN";

// A delegation, block or job token, with which a caller authenticates to a service. Identifier and password are
// arbitrary bytes.
struct Token {
  std::string identifier;
  std::string password;
  std::string kind;     // "HDFS_DELEGATION_TOKEN", "YARN_AM_RM_TOKEN", ...
  std::string service;  // "127.0.0.1:8020", or the name service of an HA pair

  bool operator==(const Token&) const = default;
};

[[nodiscard]] Token from_proto(const hadoop::common::TokenProto& proto);
[[nodiscard]] hadoop::common::TokenProto to_proto(const Token& token);

}  // namespace ydl::hrpc
