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
  enum class Type { file, archive };                       // an archive is unpacked, as its suffix requires
  enum class Visibility { everybody, user, application };  // which containers share the copy on a node

  std::string url;  // "hdfs://mycluster/path", "file:///path"
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // in milliseconds; must be exactly the file's own time, otherwise the container fails
  Type type = Type::file;
  Visibility visibility = Visibility::user;
};

// Which log files of a container YARN keeps after the application ends. Empty patterns mean YARN's defaults.
struct LogAggregation {
  std::string include_pattern = {};
  std::string exclude_pattern = {};
};

// The command and environment of a container. They are plain values: the task receives the words of the command and the
// values of the variables unchanged.
struct Launch {
  std::vector<std::string> command = {};
  std::map<std::string, std::string> environment = {};
  std::map<std::string, LocalResource> files = {};  // the key is the name in the container's directory
  // The file in the log folder for both standard output and error; empty: "stdout" and "stderr". With an entry point
  // they are always "stdout.txt" and "stderr.txt".
  std::string log_name = {};
  Credentials credentials = {};
  std::optional<ImageRuntime> image = std::nullopt;
  // Additional variables that are not quoted, so that the NodeManager expands them: {{PWD}} is the container's
  // directory.
  std::map<std::string, std::string> expanded_environment = {};
  // The users and groups that may view and modify the application: "user1,user2 group1". The ResourceManager uses the
  // lists of the master's launch, a NodeManager those of the first container that it starts.
  std::optional<std::string> viewers = std::nullopt;
  std::optional<std::string> modifiers = std::nullopt;
  // The result of encode_configuration(), with which the ResourceManager renews the tokens of the master's launch,
  // instead of with its own configuration. Empty: it uses its own.
  std::string renewal_configuration = {};
};

// Errors: usage, for values that cannot be passed (see launch_quoting.hpp; an entry point has more restrictions), and
// for invalid names and URLs.
[[nodiscard]] core::Result<hadoop::yarn::ContainerLaunchContextProto> launch_context(const Launch& launch);

[[nodiscard]] hadoop::yarn::LogAggregationContextProto to_proto(const LogAggregation& logs);

}  // namespace ydl::yarn
