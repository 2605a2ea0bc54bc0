// Hidden commands: this program as a part of a running job.
#include "agent/agent.hpp"
#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "core/user.hpp"
#include "libhdfs/helper.hpp"
#include "libhdfs/install.hpp"
#include "master/process.hpp"

namespace ydl::cli {

int execute(const MasterProcess& command) {
  const auto attachment = command.detached ? master::Attachment::detached : master::Attachment::attached;
  return command.kind->run({jobs::JobFolder(command.folder), attachment});
}

int execute(const AgentProcess& command) {
  agent::AgentOptions options;
  options.id = {command.id};
  options.credentials = command.credentials;
  // In a container the NodeManager sets the folder of the logs in a variable.
  options.logs = command.logs.empty() ? core::process_getenv("YDL_LOG_DIR").value_or("") : command.logs;
  options.expected_image = command.expected_image;
  options.unlinked_files = command.unlinked_files;
  options.lifeline = command.lifeline ? agent::Lifeline::standard_input : agent::Lifeline::none;
  options.outlives_master = core::Millis(command.outlives_master_ms);
  options.hdfs_patience = core::Millis(command.hdfs_patience_ms);
  return agent::run_agent_process(options);
}

int execute(const HdfsHelper& /*command*/) {
  return libhdfs::run_helper();
}

// Prints the folder that HADOOP_HDFS_HOME must name.
int execute(const HdfsLibrary& /*command*/) {
  const auto root = libhdfs::user_cache();
  if (!root) return complain(root.error());
  const auto program = libhdfs::this_program();
  if (!program) return complain(program.error());
  const auto folder = libhdfs::install_library(*root, *program);
  if (!folder) return complain(folder.error());
  print(folder->string() + "\n");
  return 0;
}

int execute(const ShowText& command) {
  print(command.text);
  return 0;
}

}  // namespace ydl::cli
