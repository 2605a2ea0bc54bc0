#pragma once

#include "backend/packing/python_env.hpp"
#include "client/env/python_env.hpp"
#include "core/result.hpp"
#include "framework/framework.hpp"
#include "spec/job_spec.hpp"

#include <optional>
#include <string>
#include <string_view>

// The Python environment that ydl uploads for a job on a cluster if the job names none and its framework has a default.
namespace ydl::client {

// Nothing if the job runs no Python script, or names its Python, its environment or an image.
[[nodiscard]] std::optional<framework::DefaultEnvironment> default_env_of(const spec::JobSpec& job);

// The version of Python in the first lines of a lock; empty if it names none.
[[nodiscard]] std::string python_of_lock(std::string_view lock);

// Builds it with uv from the lock file, once, and keeps it in the user's cache.
// Errors: uv is missing or fails; with the options that avoid it.
[[nodiscard]] core::Result<backend::PythonEnv> default_python_env(const framework::DefaultEnvironment& environment,
                                                                  const SayLine& say);

}  // namespace ydl::client
