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
  return agent::run_agent_process({{command.id}, command.credentials});
}

int execute(const ShowText& command) {
  print(command.text);
  return 0;
}

}  // namespace ydl::cli
