#pragma once

#include "agent/protocol.hpp"
#include "core/result.hpp"

namespace ydl::agent {

// Makes a task's directories and lets its files appear in the working directory as links. A file that the task itself
// made there in an earlier attempt stays.
// Errors: a directory cannot be made, a named file does not exist, or there are too many entries to link.
[[nodiscard]] core::Result<void> prepare_workspace(const Prepare& request);

}  // namespace ydl::agent
