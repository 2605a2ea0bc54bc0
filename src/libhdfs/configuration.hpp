#pragma once

#include "core/result.hpp"
#include "core/user.hpp"
#include "hconf/config.hpp"
#include "hrpc/token.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::libhdfs {

// What a helper needs to use HDFS.
struct Configuration {
  hconf::Config config;
  std::string user;
  std::vector<hrpc::Token> tokens;
};

// The name of the variable with the file that an agent writes for its task.
inline constexpr std::string_view kConfigVariable = "YDL_HDFS_CONFIG";

// The content of that file: the user and the keys of Hadoop's configuration that ydl reads (hconf/portable.hpp). It has
// no tokens: those are in the file that HADOOP_TOKEN_FILE_LOCATION names.
[[nodiscard]] std::string encode_configuration(const std::string& user, const std::map<std::string, std::string>& keys);

// From the file in YDL_HDFS_CONFIG; otherwise as `ydl fs`, from Hadoop's configuration, ticket and tokens. Errors:
// usage, io, corrupt.
[[nodiscard]] core::Result<Configuration> find_configuration(const core::Getenv& getenv = core::process_getenv);

}  // namespace ydl::libhdfs
