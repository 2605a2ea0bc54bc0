#pragma once

#include "backend/packing/python_env.hpp"
#include "core/result.hpp"
#include "spec/job_spec.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// --python-env: a folder, a packed environment, or a requirements.txt that is built with uv.
namespace ydl::client {

using SayLine = std::function<void(const std::string&)>;

// Whether the job has an environment of its own (spec::JobSpec::python_env, pip_packages, requirements,
// python_version).
[[nodiscard]] bool has_python_env(const spec::JobSpec& job);

// The environment of such a job, as users read it.
[[nodiscard]] std::string name_of_python_env(const spec::JobSpec& job);

// Prepares the environment that a job names. What must be built is built once and kept in the user's cache.
// Errors: it does not exist or is not an environment; uv is missing or fails.
[[nodiscard]] core::Result<backend::PythonEnv> find_python_env(const spec::JobSpec& job, const SayLine& say);

// For tasks on this machine: the path of its interpreter. A packed environment is unpacked once into the user's cache.
[[nodiscard]] core::Result<std::string> local_interpreter(const backend::PythonEnv& environment);

// The job for its master, with the interpreter instead of the environment.
[[nodiscard]] spec::JobSpec with_interpreter(spec::JobSpec job, std::string interpreter);

// For tasks on this machine: puts added packages first on their PYTHONPATH.
[[nodiscard]] spec::JobSpec with_packages_first(spec::JobSpec job, const backend::PythonEnv& environment,
                                                std::string_view python_path);

// For tasks on this machine: puts the programs beside the interpreter first on their PATH, unless the job sets PATH.
[[nodiscard]] spec::JobSpec with_programs_first(spec::JobSpec job, const std::string& interpreter,
                                                std::string_view path);

// The folder for environments and their lock files. Errors: io.
[[nodiscard]] core::Result<std::filesystem::path> user_cache();

// The name of an entry in the cache, from everything that determines its content.
[[nodiscard]] std::string cache_key(const std::vector<std::string>& parts);

// Reads an environment from a folder with bin/python. Errors: the folder is not an environment.
[[nodiscard]] core::Result<backend::PythonEnv> env_in_folder(const std::filesystem::path& folder,
                                                             const std::filesystem::path& cache);

// Whether a requirements file is complete in itself. One that names other files (-r, -c, -e) is resolved again each
// time.
[[nodiscard]] bool stands_alone(std::string_view requirements);

}  // namespace ydl::client
