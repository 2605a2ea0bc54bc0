#pragma once

#include "agent/process/launch_request.hpp"
#include "agent/process/spawn.hpp"
#include "core/result.hpp"

namespace ydl::agent {

// Why a launch failed, as a sentence that names the thing at fault. Looks at the file system again to tell, say, a
// missing command from a missing interpreter, for both of which exec has the same error.
[[nodiscard]] core::Error explain(const LaunchRequest& request, const SpawnFailure& failure);

// Whether the same launch will fail again on this machine: the fault lies in the command.
[[nodiscard]] bool is_permanent(const SpawnFailure& failure);

}  // namespace ydl::agent
