#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

// What the processes of a task are doing when it hangs, for people.
namespace ydl::agent {

struct StacksRequest {
  pid_t root = 0;  // whose descendants are looked at, not itself
  std::filesystem::path file;
  std::string heading;                     // the file's first line
  std::string path;                        // of the task: where py-spy may be
  core::Millis limit = core::Seconds(15);  // for py-spy, of all processes together
};

// Writes the file: each process with its threads, what they wait in, and py-spy's stacks of Python's. Waits: not for an
// event loop. Returns the Python processes whose own stacks are missing there, children before their parents.
// Errors: the file cannot be written.
[[nodiscard]] core::Result<std::vector<pid_t>> write_stacks(const StacksRequest& request);

// Has Python print the stacks of all its threads to its standard error, with PYTHONFAULTHANDLER, and end. No core is
// left.
void abort_python(pid_t pid);

}  // namespace ydl::agent
