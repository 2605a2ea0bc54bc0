#pragma once

#include "spec/field_table.hpp"
#include "spec/job_spec.hpp"

// Every field of a job file, described once. CONTRIBUTING.md says what else a new one needs.
namespace ydl::spec {

// The whole file but for its version, which is read before anything else. `directory` is in saved jobs only.
[[nodiscard]] const FieldTable<JobSpec>& job_fields();
[[nodiscard]] const FieldTable<Role>& role_fields();
[[nodiscard]] const FieldTable<Resources>& resource_fields();
[[nodiscard]] const FieldTable<Resources>& am_resource_fields();

}  // namespace ydl::spec
