#pragma once

#include "spec/field_table.hpp"
#include "spec/job_spec.hpp"

// All fields of a job file. CONTRIBUTING.md lists what else a new field needs.
namespace ydl::spec {

// The fields of the whole file except its version, which is read first. `directory` exists only in saved jobs.
[[nodiscard]] const FieldTable<JobSpec>& job_fields();
[[nodiscard]] const FieldTable<Role>& role_fields();
[[nodiscard]] const FieldTable<Resources>& resource_fields();
[[nodiscard]] const FieldTable<Resources>& am_resource_fields();

}  // namespace ydl::spec
