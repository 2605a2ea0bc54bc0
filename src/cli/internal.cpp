// Hidden commands: this program as a part of a running job.
#include "agent/agent.hpp"
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "master/process.hpp"

namespace ydl::cli {

int execute(const MasterProcess& command) {
  return master::run_master_process(master::JobFolder(command.folder),
                                    command.detached ? master::Attachment::detached : master::Attachment::leashed);
}

int execute(const AgentProcess& command) {
  agent::AgentOptions options;
  options.id = {command.id};
  options.credentials = command.credentials;
  options.logs = command.logs;
  options.expected_image = command.expected_image;
  options.leash = command.leash ? agent::Leash::standard_input : agent::Leash::none;
  options.outlives_master = core::Millis(command.outlives_master_ms);
  options.hdfs_patience = core::Millis(command.hdfs_patience_ms);
  return agent::run_agent_process(options);
}

int execute(const ShowText& command) {
  print(command.text);
  return 0;
}

}  // namespace ydl::cli
