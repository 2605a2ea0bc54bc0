#pragma once

#include "core/result.hpp"
#include "core/user.hpp"
#include "hrpc/token.hpp"

#include <map>
#include <string>
#include <string_view>

namespace ydl::yarn {

// Tokens and secrets by alias, as in the file in HADOOP_TOKEN_FILE_LOCATION and in a container's launch context. Tokens
// authenticate to services; secrets belong to the application.
struct Credentials {
  std::map<std::string, hrpc::Token, std::less<>> tokens = {};
  std::map<std::string, std::string, std::less<>> secrets = {};

  bool operator==(const Credentials&) const = default;

  // Adds a token with its service as alias, like Java. The service of the AMRM token is empty.
  void add(hrpc::Token token);
  // Null if there is no token of this kind.
  [[nodiscard]] const hrpc::Token* find_kind(std::string_view kind) const;
};

// "HDTS", a format byte, then
//   0  Writable: count, (alias, identifier, password, kind, service)..., count, (alias, secret)...
//   1  one delimited CredentialsProto
enum class CredentialsFormat : unsigned char {
  writable = 0,  // supported by every ResourceManager and NodeManager
  protobuf = 1,
};

[[nodiscard]] std::string encode_credentials(const Credentials& credentials,
                                             CredentialsFormat format = CredentialsFormat::writable);
// Either format. Errors: corrupt.
[[nodiscard]] core::Result<Credentials> decode_credentials(std::string_view bytes);

// Reads the file in HADOOP_TOKEN_FILE_LOCATION; empty if the variable is not set. Errors: not_found, io and corrupt,
// with the file and the variable.
[[nodiscard]] core::Result<Credentials> process_credentials(const core::Getenv& getenv = core::process_getenv);

// Adds HDFS tokens under both of their names. A token has one name (host name or address) as service and may have the
// other one as alias. Java searches for the service "ADDRESS:PORT", other clients for the text of their URL.
[[nodiscard]] Credentials under_both_names(Credentials credentials);

// The part of the master's credentials for its tasks: the tokens for other services, and only those secrets that
// contain the address of a KMS. Credentials with which a task could act as the master or as another container are
// removed: YARN's own tokens, key stores of web servers, ydl's own keys. HDFS tokens have both of their names.
[[nodiscard]] Credentials for_tasks(Credentials credentials);

}  // namespace ydl::yarn
