#pragma once

#include "core/result.hpp"
#include "spec/job_spec.hpp"

namespace ydl::client {

// For jobs on this machine: sets the image runtime to the requested one, or to podman or docker if installed. Errors:
// not_found.
[[nodiscard]] core::Result<spec::JobSpec> with_runtime_of_this_machine(spec::JobSpec job);

}  // namespace ydl::client
