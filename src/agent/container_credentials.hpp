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

// What an agent in a container needs before it can connect to its master. It is a JSON text in the container's
// credentials, under the alias kAgentSecret; environment variables and command lines could be read by others.
struct AgentSecret {
  net::Endpoint master;
  std::string user;                           // its user name in HDFS
  std::map<std::string, std::string> hadoop;  // hconf/portable.hpp; empty: the job does not use HDFS
  std::string folder = {};                    // of the job in HDFS; empty: no other master can take over the job
};
inline constexpr std::string_view kAgentSecret = "ydl.agent";

[[nodiscard]] std::string encode_agent_secret(const AgentSecret& secret);
// Errors: corrupt.
[[nodiscard]] core::Result<AgentSecret> decode_agent_secret(std::string_view text);

// What an agent starts with.
struct AgentCredentials {
  net::Endpoint master;
  std::optional<hdfs::Options> hdfs;       // with the delegation tokens of the container
  hconf::Config config = hconf::Config();  // the configuration of the job, which names further file systems
  std::vector<hrpc::Token> tokens = {};
  std::string folder = {};       // as in AgentSecret
  std::string hadoop_user = {};  // the user of Hadoop's clients in tasks; empty with Kerberos, which defines the user
};

// Reads the file that a master wrote for agents of its own machine (net/endpoint_file.hpp), or the credentials of a
// container ("HDTS..."). Errors: io, corrupt, usage; each names the file.
[[nodiscard]] core::Result<AgentCredentials> read_agent_credentials(const std::filesystem::path& file);

// Removes from the credentials of a container all that its tasks must not have (see yarn::for_tasks). Tasks run as the
// same user and can read the file, and the agent has already read it. Files of other formats are not changed. Errors:
// io.
[[nodiscard]] core::Result<void> hide_from_tasks(const std::filesystem::path& file);

// `given`; if it is empty, the file in HADOOP_TOKEN_FILE_LOCATION.
[[nodiscard]] core::Result<std::filesystem::path> credentials_file(const std::filesystem::path& given,
                                                                   const core::Getenv& getenv = core::process_getenv);

}  // namespace ydl::agent
