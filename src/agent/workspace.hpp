#pragma once

#include "agent/protocol.hpp"
#include "core/result.hpp"

namespace ydl::agent {

// Makes a task's directories and lets its files appear in the working directory as links: those named first, then what
// earlier attempts left as results, then what lies in the directory of submission, less what its .ydlignore names.
// Errors: a directory cannot be made, a named file does not exist, or there are too many entries to link.
[[nodiscard]] core::Result<void> prepare_workspace(const Prepare& request);

// Moves what the task wrote into its working directory to its results, where nothing that ydl linked is. What a task
// leaves is kept even when it failed: its next attempt finds it again.
// Errors: the first thing that could not be moved; the rest is moved all the same.
[[nodiscard]] core::Result<void> keep_results(const Prepare& request);

}  // namespace ydl::agent
