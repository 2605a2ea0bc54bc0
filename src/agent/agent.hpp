#pragma once

#include "core/clock.hpp"
#include "core/ids.hpp"

#include <filesystem>
#include <string>

namespace ydl::agent {

// What ends an agent at once when its master or client is gone. In a container it is the NodeManager, which kills the
// process group of the container: so tasks stay in that group, and the agent ignores its standard input.
enum class Lifeline { none, standard_input };

struct AgentOptions {
  core::AgentId id;
  std::filesystem::path credentials;  // the address of the master: net/endpoint_file.hpp
  std::filesystem::path logs;         // the parent of the tasks' log folders that have relative paths; empty: here
  Lifeline lifeline = Lifeline::none;
  std::string expected_image;  // the image that the NodeManager was asked to run this agent in; empty: none
  // Set if the files of the container are not linked into its directory, as with an image whose entry point runs: the
  // folder of these files. The directory is then that of the credentials. Empty: it is the current directory.
  std::filesystem::path unlinked_files;
  core::Millis outlives_master = core::Seconds(5);       // how long tasks continue while the master does not answer
  core::Millis hdfs_patience = std::chrono::minutes(5);  // how long HDFS may fail before results count as lost
};

// Runs this process as an agent: `ydl __agent`. When its lifeline ends, at SIGTERM, or when the master is silent for
// too long, the agent kills every task and exits. Returns the exit code: 1 if it never reached a master.
[[nodiscard]] int run_agent_process(const AgentOptions& options);

}  // namespace ydl::agent
