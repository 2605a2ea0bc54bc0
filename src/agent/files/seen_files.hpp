#pragma once

#include "agent/files/save_plan.hpp"
#include "core/result.hpp"
#include "protocol/commands.hpp"

#include <optional>
#include <set>
#include <stop_token>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

// What a running task has written so far, as a save needs to know it.
namespace ydl::agent {

// All that counts as the task's results now (docs/results.md): what is in its results folder and what it made in its
// working directory, which comes first where both have the same name. `reaper` is the root of its processes. Reads
// directories and /proc: not for an event loop.
// Errors: io; refused (more than kMostSavedFiles); cancelled.
[[nodiscard]] core::Result<std::vector<SeenFile>> look_at_results(const protocol::Prepare& request, pid_t reaper,
                                                                  const std::stop_token& stop = {});

using FileKey = std::pair<dev_t, ino_t>;

// Which of `files` some process below `reaper` has open for writing. Processes that may not be looked at have none.
[[nodiscard]] std::set<FileKey> files_being_written(const std::set<FileKey>& files, pid_t reaper);

// Whether what /proc/PID/fdinfo/N says is a file that was opened for writing.
[[nodiscard]] bool says_writing(std::string_view fdinfo);

}  // namespace ydl::agent
