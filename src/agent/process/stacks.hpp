#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

// Writes what the processes of a task are doing when it hangs, for users.
namespace ydl::agent {

struct StacksRequest {
  pid_t root = 0;  // the processes below it are written, not itself
  std::filesystem::path file;
  std::string heading;                     // the file's first line
  std::string path;                        // PATH of the task, on which py-spy may be
  core::Millis limit = core::Seconds(15);  // for py-spy, of all processes together
};

// Writes the file: each process with its threads, what they wait for, and the stacks that py-spy prints for Python.
// Blocks, so it must not be called in an event loop. Returns the Python processes without py-spy stacks, children
// first. Errors: the file cannot be written.
[[nodiscard]] core::Result<std::vector<pid_t>> write_stacks(const StacksRequest& request);

// Makes Python print the stacks of all its threads to its standard error (needs PYTHONFAULTHANDLER) and end, without a
// core dump.
void abort_python(pid_t pid);

}  // namespace ydl::agent
