#pragma once

#include "agent/process/launch_request.hpp"
#include "agent/process/spawn.hpp"
#include "core/result.hpp"

namespace ydl::agent {

// Why a launch failed, as one sentence that names the cause. It reads the file system again, because exec reports the
// same error for different causes, such as a missing command and a missing interpreter.
[[nodiscard]] core::Error explain(const LaunchRequest& request, const SpawnFailure& failure);

// Whether the same launch would fail again on this machine, because the command itself is wrong.
[[nodiscard]] bool is_permanent(const SpawnFailure& failure);

}  // namespace ydl::agent
