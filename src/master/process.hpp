#pragma once

#include "core/result.hpp"
#include "jobs/job_folder.hpp"

#include <span>
#include <string_view>

namespace ydl::master {

// How the master process ends with its client.
enum class Attachment {
  attached,  // standard input is a pipe from the client: its end stops the job, unless a byte 'L' was sent before
  detached,  // the job continues when the client ends
};

// The arguments of `ydl __master`.
struct ProcessStart {
  jobs::JobFolder folder;  // empty for a master that finds its job itself
  Attachment attachment = Attachment::attached;
};

// A kind of master process. There is one for each kind of backend: local_process.hpp, yarn_process.hpp. Standard output
// is a pipe to the parent process, to which the master writes one line: "ready", or "error " and a sentence.
struct ProcessKind {
  std::string_view name;                  // the value of `ydl __master --master`
  int (*run)(const ProcessStart& start);  // runs the job in this process and returns its exit code
};

// All kinds, from the list in src/master/CMakeLists.txt.
[[nodiscard]] std::span<const ProcessKind* const> process_kinds();
// Errors: usage.
[[nodiscard]] core::Result<const ProcessKind*> find_process_kind(std::string_view name);

}  // namespace ydl::master
