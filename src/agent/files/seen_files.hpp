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

// The files that a running task has written so far, for a save.
namespace ydl::agent {

// All files that currently count as the task's results (docs/results.md): those in its results folder and those that it
// made in its working directory. The latter win if both have the same name. `reaper` is the root of the task's
// processes. Reads directories and /proc, so it must not be called in an event loop. Errors: io; refused (more than
// kMostSavedFiles); cancelled.
[[nodiscard]] core::Result<std::vector<SeenFile>> look_at_results(const protocol::Prepare& request, pid_t reaper,
                                                                  const std::stop_token& stop = {});

using FileKey = std::pair<dev_t, ino_t>;

// The files among `files` that a process below `reaper` has open for writing. Processes that this user may not inspect
// are skipped.
[[nodiscard]] std::set<FileKey> files_being_written(const std::set<FileKey>& files, pid_t reaper);

// Whether this content of /proc/PID/fdinfo/N describes a file that was opened for writing.
[[nodiscard]] bool says_writing(std::string_view fdinfo);

}  // namespace ydl::agent
