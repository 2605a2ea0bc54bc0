#pragma once

#include <string>

namespace ydl::yarn {

// The cause of a container's end, according to its exit status.
enum class ExitCause {
  succeeded,
  failed,          // the task exited with an error code
  signalled,       // the task was killed by a signal
  released,        // it was released, or its node was lost
  bad_disk,        // the node's disks are full or broken
  preempted,       // the scheduler needed the resources for another application
  virtual_memory,  // its virtual memory exceeded the limit of the node
  memory,          // it used more memory than requested
  stopped,         // by ydl
  cluster,         // by the ResourceManager or the NodeManager, for another reason
  logs,            // its logs exceeded the limit of the node
  not_started,     // its files could not be downloaded to the host
};

[[nodiscard]] ExitCause exit_cause(int exit_status);

// One sentence, without the NodeManager's diagnostics: "the NodeManager killed it because it used more memory than
// requested: request more".
[[nodiscard]] std::string describe_exit(int exit_status);

}  // namespace ydl::yarn
