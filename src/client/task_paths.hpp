#pragma once

#include "core/result.hpp"
#include "spec/job_spec.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ydl::client {

// Checks the paths in a job's commands before anything starts.

// Errors: usage, for a script that tasks would not find, suggesting a similar name.
[[nodiscard]] core::Result<void> check_scripts(const spec::JobSpec& spec);

// Whether the path begins with the name of one of the job's files, archives or inputs.
[[nodiscard]] bool is_attached(const std::filesystem::path& path, const spec::JobSpec& spec);

// The first file or archive of the job that does not exist.
struct MissingFile {
  spec::FileRef file;
  std::string sentence;  // "--file data.bin does not exist in /home/ann"
};
[[nodiscard]] std::optional<MissingFile> missing_file(const spec::JobSpec& spec);

// For jobs whose tasks run where the scripts are: each script by its full path, so that it finds the same files from
// its own path (`os.path.dirname(__file__)`, folders beside and above it) is what it finds without ydl.
[[nodiscard]] spec::JobSpec with_scripts_in_place(spec::JobSpec spec);

// For tasks on other hosts: if a script is outside the submission directory, its own directory is uploaded too, under
// the name of that directory, so that the script finds the files beside it.
[[nodiscard]] spec::JobSpec with_scripts_shipped(spec::JobSpec spec);

// A sentence for each argument with a path outside the submission directory, which tasks will not find.
[[nodiscard]] std::vector<std::string> outside_paths(const spec::JobSpec& spec);

}  // namespace ydl::client
