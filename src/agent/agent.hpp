#pragma once

#include "core/clock.hpp"
#include "core/ids.hpp"

#include <filesystem>
#include <string>

namespace ydl::agent {

struct AgentOptions {
  core::AgentId id;
  std::filesystem::path credentials;                // where the master is: net/endpoint_file.hpp
  core::Millis outlives_master = core::Seconds(5);  // how long the tasks go on when the master does not answer
};

// Runs this process as an agent: `ydl __agent`. Standard input is a leash: at its end every task is killed and the
// agent leaves. Returns the exit code.
[[nodiscard]] int run_agent_process(const AgentOptions& options);

}  // namespace ydl::agent
