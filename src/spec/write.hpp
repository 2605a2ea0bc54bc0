#pragma once

#include "spec/job_spec.hpp"

#include <string>

namespace ydl::spec {

// The job as indented JSON in the layout of a job file, with the directory of submission when it is set. For every job
// that check_job accepts, parse_saved_job reads it back equal.
[[nodiscard]] std::string to_json(const JobSpec& job);

// Exactly as much, in the largest unit that is whole: "2g", "1536m", "90s", "5m".
[[nodiscard]] std::string exact_bytes(std::uint64_t bytes);
[[nodiscard]] std::string exact_duration(core::Millis duration);

}  // namespace ydl::spec
