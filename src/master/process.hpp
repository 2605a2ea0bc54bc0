#pragma once

#include "core/result.hpp"
#include "jobs/job_folder.hpp"

#include <string_view>

namespace ydl::master {

// Which master a process is: the value of `ydl __master --master`.
enum class ProcessKind {
  local,           // of a job whose tasks run on this machine
  yarn_container,  // an ApplicationMaster in a container
  yarn_unmanaged,  // an ApplicationMaster beside the client
};
[[nodiscard]] std::string_view name(ProcessKind kind);  // "local", "yarn-container", "yarn-unmanaged"
// Errors: usage.
[[nodiscard]] core::Result<ProcessKind> parse_process_kind(std::string_view text);

// How the master process ends with its client.
enum class Attachment {
  leashed,   // standard input is a pipe from the client: its end stops the job, a byte 'L' lets it go on alone
  detached,  // the job goes on whatever happens to the client
};

// Runs the job of a folder as this process: `ydl __master`. Standard output is a pipe to whoever started it, on which
// one line comes: "ready", or "error " and a sentence. Returns the exit code.
[[nodiscard]] int run_master_process(const jobs::JobFolder& folder, Attachment attachment);

// The same for a job on YARN whose master runs here: an unmanaged ApplicationMaster.
[[nodiscard]] int run_unmanaged_master_process(const jobs::JobFolder& folder, Attachment attachment);

// The same as an ApplicationMaster in a container. What it has to run the container's
// credentials say (master_ticket.hpp); its words go to standard error, whose end the ResourceManager shows.
[[nodiscard]] int run_container_master_process();

}  // namespace ydl::master
