#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"
#include "jobs/job_folder.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

// Deletion of the folders of jobs. A folder first gets a hidden name, in one step: a process that is killed while it
// deletes leaves no half of a job where people see it. The next launch deletes the rest.
namespace ydl::jobs {

// What a folder holds. Symbolic links count as files of no bytes and are not followed.
struct FolderContent {
  std::int64_t files = 0;
  std::uint64_t bytes = 0;
  std::optional<core::WallTime> changed;  // the last change of any file or folder in it
};
[[nodiscard]] FolderContent measure_folder(const std::filesystem::path& folder);

// Gives the folder of a job its hidden name, which is returned. Errors: not_found; io.
[[nodiscard]] core::Result<std::filesystem::path> hide_job_folder(const JobFolder& folder);
// The folders with such a name.
[[nodiscard]] bool is_hidden_folder(const std::filesystem::path& folder);
[[nodiscard]] std::vector<std::filesystem::path> list_hidden_folders(const std::filesystem::path& jobs);

// Asked before each file: whether there is time to delete it.
using MayGoOn = std::function<bool()>;
// Deletes a file, a symbolic link or a folder with all that is in it. Symbolic links are deleted and not followed, and
// folders without write permission get it first. False: there was no more time, and something is left.
// Errors: io, the first one; what can be deleted is deleted.
[[nodiscard]] core::Result<bool> delete_tree(const std::filesystem::path& path, const MayGoOn& may_go_on = {});

}  // namespace ydl::jobs
