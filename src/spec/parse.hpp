#pragma once

#include "core/result.hpp"
#include "spec/job_spec.hpp"

#include <string_view>

namespace ydl::spec {

// A job from the text of its file, YAML or JSON, laid out as docs/job-file.md says. The Error (Errc::usage) has one
// line for each thing that is wrong, up to ten, each beginning with "FILE:LINE: ".
[[nodiscard]] core::Result<JobSpec> parse_job(std::string_view text, std::string_view file_name);

// The line of a job file where one of its files or archives stands; 1 where it cannot be found.
[[nodiscard]] int line_of_file(std::string_view text, const FileRef& file);

// The same for what to_json wrote: it may also hold the directory of submission, which no user's file does.
[[nodiscard]] core::Result<JobSpec> parse_saved_job(std::string_view text, std::string_view file_name);

}  // namespace ydl::spec
