#pragma once

#include "core/cluster_kind.hpp"
#include "core/result.hpp"
#include "spec/job_spec.hpp"

#include <string>

namespace ydl::client {

// Whether the commands of a job can be started, as far as that is known before it exists. A name without a slash and
// a full path are only checked for jobs on this machine: hosts of a cluster have programs of their own. What is in an
// image, in a Python environment or in the job's own archives is not known here. `path` is the PATH of this process.
// Scripts are check_scripts()'s. Errors: command_error(), one sentence with the nearest name there is.
[[nodiscard]] core::Result<> check_commands(const spec::JobSpec& spec, core::ClusterKind cluster,
                                            const std::string& path);

}  // namespace ydl::client
