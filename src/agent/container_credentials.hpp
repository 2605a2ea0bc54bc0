#pragma once

#include "core/result.hpp"
#include "core/user.hpp"
#include "hconf/config.hpp"
#include "hdfs/options.hpp"
#include "net/http_client.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::agent {

// What an agent in a container must know before it can ask anybody. It lies, as JSON, among the secrets of the
// container's credentials under the alias kAgentSecret: never in an environment variable or on a command line.
struct AgentSecret {
  net::Endpoint master;
  std::string user;                           // whom HDFS knows it as
  std::map<std::string, std::string> hadoop;  // hconf/portable.hpp; empty: nothing is kept in HDFS
  std::string folder = {};                    // the job's on HDFS; empty: no other master can take the job over
};
inline constexpr std::string_view kAgentSecret = "ydl.agent";

[[nodiscard]] std::string encode_agent_secret(const AgentSecret& secret);
// Errors: corrupt.
[[nodiscard]] core::Result<AgentSecret> decode_agent_secret(std::string_view text);

// What an agent starts with.
struct AgentCredentials {
  net::Endpoint master;
  std::optional<hdfs::Options> hdfs;       // with the delegation tokens that came along
  hconf::Config config = hconf::Config();  // the job's: other file systems are in it
  std::vector<hrpc::Token> tokens = {};
  std::string folder = {};       // as in AgentSecret
  std::string hadoop_user = {};  // whom Hadoop's clients in tasks act as, where no Kerberos says it; else empty
};

// From the file a master wrote for agents of its own machine (net/endpoint_file.hpp), or from a container's
// credentials ("HDTS..."). Errors: io, corrupt, usage; each names the file.
[[nodiscard]] core::Result<AgentCredentials> read_agent_credentials(const std::filesystem::path& file);

// Leaves in a container's credentials what its tasks may have (yarn::for_tasks): they run as the same user and see the
// same file. Nobody but the agent needs the rest, and it has read it. Other files are left alone. Errors: io.
[[nodiscard]] core::Result<void> hide_from_tasks(const std::filesystem::path& file);

// `given`, or where it is empty what HADOOP_TOKEN_FILE_LOCATION names.
[[nodiscard]] core::Result<std::filesystem::path> credentials_file(const std::filesystem::path& given,
                                                                   const core::Getenv& getenv = core::process_getenv);

}  // namespace ydl::agent
