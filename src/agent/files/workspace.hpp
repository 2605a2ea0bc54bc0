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

// The entries of the directories that are linked for tasks, without those in their .ydlignore. They are read once for
// all tasks that are prepared together. Thread-safe.
class DirectoryListings {
 public:
  // Errors: the directory cannot be read, or has too many entries to link.
  [[nodiscard]] const core::Result<std::vector<std::filesystem::path>>& entries(const std::string& directory);

 private:
  std::mutex mutex_;
  std::map<std::string, core::Result<std::vector<std::filesystem::path>>> read_;
};

// Makes the paths of the request absolute. Relative paths start at the agent's own directory, which is that of the
// container; those of logs start at `logs`.
[[nodiscard]] protocol::Prepare with_absolute_paths(protocol::Prepare request, const std::filesystem::path& directory,
                                                    const std::filesystem::path& logs);

// Replaces `{results}` in a task's arguments by its results folder, and `{{results}}` by `{results}`.
[[nodiscard]] std::vector<std::string> with_results_folder(std::vector<std::string> argv, std::string_view folder);

// Whether few enough entries are linked that this may be done in an event loop.
[[nodiscard]] bool is_made_quickly(const protocol::Prepare& request);

// The folder for a task's downloaded inputs, beside its working directory, which has links to them.
[[nodiscard]] std::filesystem::path inputs_directory(const protocol::Prepare& request);

// The name of the file with the stacks of a task that hung, among its logs.
inline constexpr std::string_view kStacksFile = "stacks";

// The folder for downloaded files that another task or job has saved, beside the working directory.
[[nodiscard]] std::filesystem::path restore_directory(const protocol::Prepare& request);

// Clears the directories after attempt number `earlier`. Its logs are renamed to stdout.N, stderr.N and stacks.N (their
// indexes to stdout.N.times and stderr.N.times), so that stdout is that of the newest attempt. Its working directory
// (whose files are already among its results), its inputs and its restore_directory are removed. Files that cannot be
// removed are kept under another name, task.N. This may take long, so it must not be called in an event loop. Errors:
// io.
[[nodiscard]] core::Result<void> put_earlier_aside(const protocol::Prepare& request, int earlier);

// Creates a task's directories and links its files into the working directory: first named files, then results of
// earlier attempts, then the entries of the submission directory without those in its .ydlignore. Errors: a directory
// cannot be created, a named file does not exist, or there are too many entries to link.
[[nodiscard]] core::Result<void> prepare_workspace(const protocol::Prepare& request, DirectoryListings& listings);

// The files that the task made in its working directory: all except links of ydl and files in .ydlignore.
// Errors: io.
[[nodiscard]] core::Result<std::vector<std::filesystem::path>> made_by_task(const protocol::Prepare& request);

// Moves the files that the task made in its working directory to its results. This is also done if the task failed, so
// that its next attempt finds them. Results on another file system are copied, which may take long, so this must not be
// called in an event loop.
// Errors: the first file that could not be moved; the others are moved nevertheless.
[[nodiscard]] core::Result<void> keep_results(const protocol::Prepare& request, const std::stop_token& stop = {});

}  // namespace ydl::agent
