#pragma once

#include "cli/args/commands.hpp"
#include "spec/job_spec.hpp"

namespace ydl::cli {

// Runs a job as `ydl run` and `ydl submit` do, and shows what happens on the way. Returns the exit code.
[[nodiscard]] int launch_job(const RunOptions& options, spec::JobSpec spec);

}  // namespace ydl::cli
