#pragma once

#include "core/clock.hpp"
#include "core/ids.hpp"

#include <filesystem>
#include <string>

namespace ydl::agent {

// What ends an agent whose master is gone at once. In a container it is the NodeManager, which kills the container's
// process group: the tasks stay in it, and standard input means nothing.
enum class Leash { none, standard_input };

struct AgentOptions {
  core::AgentId id;
  std::filesystem::path credentials;  // where the master is: net/endpoint_file.hpp
  std::filesystem::path logs;         // where the tasks' log folders go that have no absolute path; empty: here
  Leash leash = Leash::none;
  std::string expected_image;  // the NodeManager was asked to run this agent in it; empty: in none
  // The folder of the container's files where nobody has linked them into its directory, which is then that of the
  // credentials and not where this process was started; empty: this is the directory.
  std::filesystem::path unlinked_files;
  core::Millis outlives_master = core::Seconds(5);       // how long the tasks go on when the master does not answer
  core::Millis hdfs_patience = std::chrono::minutes(5);  // how long HDFS may refuse before results count as lost
};

// Runs this process as an agent: `ydl __agent`. At the end of its leash, at SIGTERM, or when the master is silent for
// too long every task is killed and the agent leaves. Returns the exit code: 1 when it never had a master.
[[nodiscard]] int run_agent_process(const AgentOptions& options);

}  // namespace ydl::agent
