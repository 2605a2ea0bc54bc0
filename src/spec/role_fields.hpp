#pragma once

#include "spec/field_table.hpp"
#include "spec/job_spec.hpp"

namespace ydl::spec {

// The field `roles` of a job: a mapping from names to roles.
[[nodiscard]] Field<JobSpec> roles_field();

}  // namespace ydl::spec
