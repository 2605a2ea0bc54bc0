#pragma once

#include "protocol/commands.hpp"
#include "yarn/launch_context.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::backend {

// The program that runs as master and agent in containers. It is the one file that every job uploads.
inline constexpr std::string_view kStagedProgram = "ydl";

// The files of a job in HDFS, which its containers start with.
struct StagedJob {
  std::map<std::string, yarn::LocalResource> files;  // by name in the container's directory; "ydl" is the program
  std::string linked_directory;                      // for protocol::Prepare, relative to the container's directory
  std::vector<protocol::Link> links;                 // the same
  std::vector<std::string> notes;                    // sentences for the user
  std::uint64_t bytes_uploaded = 0;
  std::uint64_t bytes_reused = 0;
};

}  // namespace ydl::backend
