#include "yarn/exit_status.hpp"

#include <fmt/format.h>

namespace ydl::yarn {

// Negative numbers are defined by YARN (ContainerExitStatus); a shell reports signal n as 128 + n.
ExitCause exit_cause(int exit_status) {
  switch (exit_status) {
    case 0:
      return ExitCause::succeeded;
    case -100:
      return ExitCause::released;
    case -101:
      return ExitCause::bad_disk;
    case -102:
      return ExitCause::preempted;
    case -103:
      return ExitCause::virtual_memory;
    case -104:
      return ExitCause::memory;
    case -105:
      return ExitCause::stopped;
    case -106:
    case -107:
    case -108:
      return ExitCause::cluster;
    case -109:
      return ExitCause::logs;
    case -1000:
      return ExitCause::not_started;
    default:
      break;
  }
  if (exit_status == 154) return ExitCause::cluster;  // the NodeManager lost track of the container during a restart
  return exit_status > 128 && exit_status < 128 + 65 ? ExitCause::signalled : ExitCause::failed;
}

std::string describe_exit(int exit_status) {
  switch (exit_cause(exit_status)) {
    case ExitCause::succeeded:
      return "it succeeded";
    case ExitCause::failed:
      return fmt::format("it failed with exit code {}", exit_status);
    case ExitCause::signalled:
      return fmt::format("it was killed by signal {}", exit_status - 128);
    case ExitCause::released:
      return "its node was lost, or the container was released";
    case ExitCause::bad_disk:
      return "the disks of its node are full or broken";
    case ExitCause::preempted:
      return "the scheduler preempted it for another queue or application";
    case ExitCause::virtual_memory:
      return "the NodeManager killed it because it used too much virtual memory: request more memory, or ask the "
             "administrator to set yarn.nodemanager.vmem-check-enabled to false";
    case ExitCause::memory:
      return "the NodeManager killed it because it used more memory than requested: request more";
    case ExitCause::stopped:
      return "it was stopped";
    case ExitCause::cluster:
      return "the cluster stopped it";
    case ExitCause::logs:
      return "the NodeManager killed it because its logs exceed the limit of the node";
    case ExitCause::not_started:
      return "it could not be started: its files could not be downloaded to the host";
  }
  return "it ended";
}

}  // namespace ydl::yarn
