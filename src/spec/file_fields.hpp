#pragma once

#include "spec/field_table.hpp"
#include "spec/job_spec.hpp"

namespace ydl::spec {

// The three lists of files of a job. No two entries of all of them may have the same name in the task: `files` reads
// and checks all three.
[[nodiscard]] Field<JobSpec> files_field();
[[nodiscard]] Field<JobSpec> archives_field();
[[nodiscard]] Field<JobSpec> inputs_field();

}  // namespace ydl::spec
