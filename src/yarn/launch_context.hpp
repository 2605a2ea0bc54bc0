#pragma once

#include "core/result.hpp"
#include "yarn/credentials.hpp"
#include "yarn/image_runtime.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hadoop::yarn {
class ContainerLaunchContextProto;
class LogAggregationContextProto;
}  // namespace hadoop::yarn

namespace ydl::yarn {

// A file of a distributed file system that the NodeManager puts into the container's directory.
struct LocalResource {
  enum class Type { file, archive };                       // an archive is unpacked, by its name's suffix
  enum class Visibility { everybody, user, application };  // who shares the one copy on a node

  std::string url;  // "hdfs://mycluster/path", "file:///path"
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // milliseconds: must be the file's own to the last one, or the container fails
  Type type = Type::file;
  Visibility visibility = Visibility::user;
};

// Which of a container's logs YARN keeps after the application's end. Empty patterns: its defaults.
struct LogAggregation {
  std::string include_pattern = {};
  std::string exclude_pattern = {};
};

// What a container is to run. Plain values: the words of the command and the values of the environment reach the task
// byte for byte.
struct Launch {
  std::vector<std::string> command = {};
  std::map<std::string, std::string> environment = {};
  std::map<std::string, LocalResource> files = {};  // by name in the container's directory
  // One file of the log folder for standard output and error; empty: "stdout" and "stderr". Of an entry point they are
  // always "stdout.txt" and "stderr.txt".
  std::string log_name = {};
  Credentials credentials = {};
  std::optional<ImageRuntime> image = std::nullopt;
  // Set on top of `environment` as the NodeManager understands them: {{PWD}} is the container's directory there.
  std::map<std::string, std::string> expanded_environment = {};
  // Who may see and change the application: "user1,user2 group1". The ResourceManager goes by those of the master's
  // launch, a NodeManager by those of the first container that it starts.
  std::optional<std::string> viewers = std::nullopt;
  std::optional<std::string> modifiers = std::nullopt;
  // An encode_configuration() with which the ResourceManager renews the tokens of the master's launch. It then does
  // not use its own configuration for them at all. Empty: it uses its own.
  std::string renewal_configuration = {};
};

// Errors: usage, for what cannot travel (see launch_quoting.hpp; to an entry point that is much more), names that are
// no names and URLs that are none.
[[nodiscard]] core::Result<hadoop::yarn::ContainerLaunchContextProto> launch_context(const Launch& launch);

[[nodiscard]] hadoop::yarn::LogAggregationContextProto to_proto(const LogAggregation& logs);

}  // namespace ydl::yarn
