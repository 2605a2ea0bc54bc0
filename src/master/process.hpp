#pragma once

#include "core/result.hpp"
#include "jobs/job_folder.hpp"

#include <span>
#include <string_view>

namespace ydl::master {

// How the master process ends with its client.
enum class Attachment {
  leashed,   // standard input is a pipe from the client: its end stops the job, a byte 'L' lets it go on alone
  detached,  // the job goes on whatever happens to the client
};

// What `ydl __master` was told.
struct ProcessStart {
  jobs::JobFolder folder;  // of a master that finds its job by itself: none
  Attachment attachment = Attachment::leashed;
};

// One kind of master process. There is one for each way in which a backend can be made: local_process.hpp,
// yarn_process.hpp. Standard output is a pipe to the process that started it, on which one line comes: "ready", or
// "error " and a sentence.
struct ProcessKind {
  std::string_view name;                  // the value of `ydl __master --master`
  int (*run)(const ProcessStart& start);  // runs the job as this process; the exit code
};

// All of them: the list in src/master/CMakeLists.txt.
[[nodiscard]] std::span<const ProcessKind* const> process_kinds();
// Errors: usage.
[[nodiscard]] core::Result<const ProcessKind*> find_process_kind(std::string_view name);

}  // namespace ydl::master
