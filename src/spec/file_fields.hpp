#pragma once

#include "spec/field_table.hpp"
#include "spec/job_spec.hpp"

namespace ydl::spec {

// The field `files`, which reads and checks all three lists of files of a job, because names in the task must be unique
// among all of them.
[[nodiscard]] Field<JobSpec> files_field();
[[nodiscard]] Field<JobSpec> archives_field();
[[nodiscard]] Field<JobSpec> inputs_field();

}  // namespace ydl::spec
