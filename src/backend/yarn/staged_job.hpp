#pragma once

#include "protocol/commands.hpp"
#include "yarn/launch_context.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::backend {

// The program that is master and agent in a container: the one file that always travels.
inline constexpr std::string_view kStagedProgram = "ydl";

// A job's files, all in HDFS: what its containers are started with.
struct StagedJob {
  std::map<std::string, yarn::LocalResource> files;  // by name in the container's directory; "ydl" is the program
  std::string linked_directory;                      // for protocol::Prepare, relative to the container's directory
  std::vector<protocol::Link> links;                 // the same
  std::vector<std::string> notes;                    // sentences for the user
  std::uint64_t bytes_uploaded = 0;
  std::uint64_t bytes_reused = 0;
};

}  // namespace ydl::backend
