#pragma once

#include "cli/args/commands.hpp"
#include "spec/job_spec.hpp"

namespace ydl::cli {

// From a job to its end, for `ydl run`, `ydl submit` and `ydl-mx`: checks it, makes its folder, starts its master and
// follows it. Returns the exit code.
[[nodiscard]] int launch_job(const RunOptions& options, spec::JobSpec spec);

}  // namespace ydl::cli
