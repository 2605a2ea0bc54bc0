#pragma once

#include "master/job_folder.hpp"

namespace ydl::master {

// How the master process ends with its client.
enum class Attachment {
  leashed,   // standard input is a pipe from the client: its end stops the job, a byte 'L' lets it go on alone
  detached,  // the job goes on whatever happens to the client
};

// Runs the job of a folder as this process: `ydl __master`. Standard output is a pipe to whoever started it, on which
// one line comes: "ready", or "error " and a sentence. Returns the exit code.
[[nodiscard]] int run_master_process(const JobFolder& folder, Attachment attachment);

}  // namespace ydl::master
