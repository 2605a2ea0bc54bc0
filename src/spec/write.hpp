#pragma once

#include "spec/job_spec.hpp"

#include <string>

namespace ydl::spec {

// The job as indented JSON in the format of a job file, with the directory of submission if it is set.
// parse_saved_job() restores an equal job, for every job that check_job() accepts.
[[nodiscard]] std::string to_json(const JobSpec& job);

// The exact value in the largest unit without a fraction: "2g", "1536m", "90s", "5m".
[[nodiscard]] std::string exact_bytes(std::uint64_t bytes);
[[nodiscard]] std::string exact_duration(core::Millis duration);

}  // namespace ydl::spec
