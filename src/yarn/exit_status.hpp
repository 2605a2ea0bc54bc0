#pragma once

#include <string>

namespace ydl::yarn {

// Who or what ended a container, as far as its exit status says.
enum class ExitCause {
  succeeded,
  failed,          // the task's own exit code
  signalled,       // the task died of a signal
  released,        // it was given back, or its node was lost
  bad_disk,        // the node's disks are full or broken
  preempted,       // the scheduler needed the room for somebody else
  virtual_memory,  // more than the node allows, by its address space
  memory,          // more than asked for
  stopped,         // by us
  cluster,         // by the ResourceManager or the NodeManager, for reasons of their own
  logs,            // it wrote more than the node keeps
  not_started,     // its files could not be downloaded to the host
};

[[nodiscard]] ExitCause exit_cause(int exit_status);

// One sentence, without the NodeManager's diagnostics: "the NodeManager killed it for using more memory than it asked
// for: ask for more".
[[nodiscard]] std::string describe_exit(int exit_status);

}  // namespace ydl::yarn
