#pragma once

#include "core/result.hpp"
#include "core/user.hpp"
#include "spec/job_spec.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

// The Python from which a job is submitted.
namespace ydl::client {

struct SubmittingPython {
  std::filesystem::path python;
  std::filesystem::path environment;  // its virtual environment or conda prefix; empty: it belongs to none
};

// The job's `python`, else that of VIRTUAL_ENV, of CONDA_PREFIX, or the python3 on PATH. Nothing if there is none.
// A virtual environment has a pyvenv.cfg, a conda prefix a folder conda-meta.
// Errors: usage, if the named Python does not exist, or a variable names a folder without one.
[[nodiscard]] core::Result<std::optional<SubmittingPython>> find_submitting_python(
    const spec::JobSpec& job, const core::Getenv& getenv = core::process_getenv);

// Whether tasks get an environment that depends on the submitting Python.
[[nodiscard]] bool needs_submitting_python(const spec::JobSpec& job);

}  // namespace ydl::client
