#pragma once

#include "core/result.hpp"
#include "core/user.hpp"
#include "hrpc/token.hpp"

#include <map>
#include <string>
#include <string_view>

namespace ydl::yarn {

// What proves to services who a program is, by alias: tokens, and secrets that are nobody's but the application's.
// This is what HADOOP_TOKEN_FILE_LOCATION names and what a container's launch context carries.
struct Credentials {
  std::map<std::string, hrpc::Token, std::less<>> tokens = {};
  std::map<std::string, std::string, std::less<>> secrets = {};

  bool operator==(const Credentials&) const = default;

  // Under its service's name, as Java does; the AMRM token's is empty.
  void add(hrpc::Token token);
  // Nothing where there is none of the kind.
  [[nodiscard]] const hrpc::Token* find_kind(std::string_view kind) const;
};

// "HDTS", a format byte, then
//   0  Writable: count, (alias, identifier, password, kind, service)..., count, (alias, secret)...
//   1  one delimited CredentialsProto
enum class CredentialsFormat : unsigned char {
  writable = 0,  // what every ResourceManager and NodeManager reads
  protobuf = 1,
};

[[nodiscard]] std::string encode_credentials(const Credentials& credentials,
                                             CredentialsFormat format = CredentialsFormat::writable);
// Either format. Errors: corrupt.
[[nodiscard]] core::Result<Credentials> decode_credentials(std::string_view bytes);

// Those of the file that HADOOP_TOKEN_FILE_LOCATION names; none where it names none. Errors: not_found and io, corrupt,
// each naming file and variable.
[[nodiscard]] core::Result<Credentials> process_credentials(const core::Getenv& getenv = core::process_getenv);

// A token of HDFS has one of its names as service and may have the other one, name or address, as alias. Here it is
// entered under both: Java looks for the service "ADDRESS:PORT", other clients for the text of their URL.
[[nodiscard]] Credentials under_both_names(Credentials credentials);

// What a task may have of its master's: the tokens of other services, and of the secrets only where a KMS is. What
// would let it be the master, or another container, stays: YARN's own tokens, a web server's key store, ydl's own keys.
// Tokens of HDFS are under both of their names.
[[nodiscard]] Credentials for_tasks(Credentials credentials);

}  // namespace ydl::yarn
