#pragma once

#include "core/result.hpp"
#include "spec/job_spec.hpp"

#include <string_view>

namespace ydl::spec {

// Parses a job file, YAML or JSON, in the format of docs/job-file.md. The Error (Errc::usage) has one line per problem,
// at most ten, each starting with "FILE:LINE: ".
[[nodiscard]] core::Result<JobSpec> parse_job(std::string_view text, std::string_view file_name);

// The line of a file or archive in the job file; 1 if it cannot be found.
[[nodiscard]] int line_of_file(std::string_view text, const FileRef& file);

// The same for the output of to_json(), which may also contain the directory of submission.
[[nodiscard]] core::Result<JobSpec> parse_saved_job(std::string_view text, std::string_view file_name);

}  // namespace ydl::spec
