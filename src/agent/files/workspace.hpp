#pragma once

#include "core/result.hpp"
#include "protocol/commands.hpp"

#include <filesystem>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::agent {

// What lies in the directories that tasks see, less what their .ydlignore names: read once for all tasks that are
// prepared together. For several threads.
class DirectoryListings {
 public:
  // Errors: it cannot be read, or has too many entries to link.
  [[nodiscard]] const core::Result<std::vector<std::filesystem::path>>& entries(const std::string& directory);

 private:
  std::mutex mutex_;
  std::map<std::string, core::Result<std::vector<std::filesystem::path>>> read_;
};

// The request with absolute paths. Relative ones are below the agent's own directory, which is the container's; those
// of logs are below `logs`.
[[nodiscard]] protocol::Prepare with_absolute_paths(protocol::Prepare request, const std::filesystem::path& directory,
                                                    const std::filesystem::path& logs);

// A task's arguments with `{results}` replaced by its results folder, and `{{results}}` by `{results}`.
[[nodiscard]] std::vector<std::string> with_results_folder(std::vector<std::string> argv, std::string_view folder);

// Whether there are so few entries to link that it does not hold up an event loop.
[[nodiscard]] bool is_made_quickly(const protocol::Prepare& request);

// Where the inputs of a task are downloaded: beside its working directory, which has links to them.
[[nodiscard]] std::filesystem::path inputs_directory(const protocol::Prepare& request);

// Among a task's logs: what its processes were doing when it hung.
inline constexpr std::string_view kStacksFile = "stacks";

// Where what another task or job saved is downloaded for this one: beside its working directory.
[[nodiscard]] std::filesystem::path restore_directory(const protocol::Prepare& request);

// In directories that attempt number `earlier` had: its logs are renamed to stdout.N, stderr.N and stacks.N, so that
// stdout is the newest attempt's. Its working directory, whose files are among its results, its inputs and its
// restore_directory are removed; what cannot be removed stays under another name, task.N. May take long: not for an
// event loop. Errors: io.
[[nodiscard]] core::Result<void> put_earlier_aside(const protocol::Prepare& request, int earlier);

// Makes a task's directories and lets its files appear in the working directory as links: those named first, then what
// earlier attempts left as results, then what lies in the directory of submission, less what its .ydlignore names.
// Errors: a directory cannot be made, a named file does not exist, or there are too many entries to link.
[[nodiscard]] core::Result<void> prepare_workspace(const protocol::Prepare& request, DirectoryListings& listings);

// What the task made in its working directory: all but what ydl linked there and what .ydlignore names.
// Errors: io.
[[nodiscard]] core::Result<std::vector<std::filesystem::path>> made_by_task(const protocol::Prepare& request);

// Moves what the task wrote into its working directory to its results, where nothing that ydl linked is. What a task
// leaves is kept even when it failed: its next attempt finds it again. Results on another file system are copied, which
// may take long: not for an event loop.
// Errors: the first thing that could not be moved; the rest is moved all the same.
[[nodiscard]] core::Result<void> keep_results(const protocol::Prepare& request, const std::stop_token& stop = {});

}  // namespace ydl::agent
