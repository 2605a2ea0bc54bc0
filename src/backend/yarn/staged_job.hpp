#pragma once

#include "protocol/commands.hpp"
#include "yarn/launch_context.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::backend {

// The program that runs as master and agent in containers. It is the one file that every job uploads.
inline constexpr std::string_view kStagedProgram = "ydl";

// A part of the job's Python environment, for `ydl env why`.
struct StagedLayer {
  std::string layer;           // "base" or "packages"
  std::string source;          // where it comes from: a folder, a lock file
  std::string hash;            // of the packed file in the cache
  std::uint64_t bytes = 0;     // of the packed file
  std::uint64_t unpacked = 0;  // of all files in it
  std::uint64_t files = 0;
  std::string found;  // "uploaded", "in the cache" or "in the site's cache"
};

// The Python environment that agents unpack.
struct StagedEnvironment {
  protocol::PackedEnvironment packed;
  std::vector<StagedLayer> layers;
};

// The files of a job in HDFS, which its containers start with.
struct StagedJob {
  std::map<std::string, yarn::LocalResource> files;  // by name in the container's directory; "ydl" is the program
  std::string linked_directory;                      // for protocol::Prepare, relative to the container's directory
  std::vector<protocol::Link> links;                 // the same
  std::optional<StagedEnvironment> environment = std::nullopt;
  std::vector<std::string> notes;  // sentences for the user
  std::uint64_t bytes_uploaded = 0;
  std::uint64_t bytes_reused = 0;
};

}  // namespace ydl::backend
