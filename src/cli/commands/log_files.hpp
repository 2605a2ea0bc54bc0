#pragma once

#include "cli/args/commands.hpp"
#include "jobs/job_folder.hpp"

namespace ydl::cli {

// `ydl logs --to DIR`: copies the log files as they are, DIR/worker-0/1/stdout, and replaces a file that is there only
// with --force. Returns the exit code.
[[nodiscard]] int copy_logs(const Logs& command, const jobs::JobFolder& folder);

}  // namespace ydl::cli
