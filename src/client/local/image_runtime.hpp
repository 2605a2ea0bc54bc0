#pragma once

#include "core/result.hpp"
#include "spec/job_spec.hpp"

namespace ydl::client {

// For jobs of this machine: with podman or docker named, whichever is asked for or installed. Errors: not_found.
[[nodiscard]] core::Result<spec::JobSpec> with_runtime_of_this_machine(spec::JobSpec job);

}  // namespace ydl::client
