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

// The environment that a job names, ready to be used or shipped. A requirements.txt is resolved and installed once and
// kept in the user's cache, by the content of its lock.
// Errors: it does not exist or is no environment; uv is missing or fails.
[[nodiscard]] core::Result<backend::PythonEnv> find_python_env(const spec::JobSpec& job, const SayLine& say);

// For tasks of this machine: where its interpreter is. A packed environment is unpacked once into the user's cache.
[[nodiscard]] core::Result<std::string> local_interpreter(const backend::PythonEnv& environment);

// The job with the interpreter in place of the environment it comes from, as masters know it.
[[nodiscard]] spec::JobSpec with_interpreter(spec::JobSpec job, std::string interpreter);

// For tasks of this machine: the programs beside the interpreter come first on their PATH, unless the job sets one.
[[nodiscard]] spec::JobSpec with_programs_first(spec::JobSpec job, const std::string& interpreter,
                                                std::string_view path);

// The folder of an environment with the packages that a requirements file names. `cache` is the user's.
[[nodiscard]] core::Result<std::filesystem::path> build_python_env(const std::filesystem::path& requirements,
                                                                   const std::filesystem::path& cache,
                                                                   const SayLine& say);

// An environment whose packages are all named with their versions, and the Python they are for.
struct LockedEnv {
  std::string name;    // for people
  std::string python;  // "3.11"; uv fetches it where this machine has none
  std::string lock;    // as a requirements file
};
[[nodiscard]] core::Result<std::filesystem::path> build_locked_env(const LockedEnv& environment,
                                                                   const std::filesystem::path& cache,
                                                                   const SayLine& say);

// Where environments and what they are made from are kept. Errors: io.
[[nodiscard]] core::Result<std::filesystem::path> user_cache();

// The name of something in the cache, from all that decides what is in it.
[[nodiscard]] std::string cache_key(const std::vector<std::string>& parts);

// A folder with bin/python in it as an environment. Errors: it is none.
[[nodiscard]] core::Result<backend::PythonEnv> env_in_folder(const std::filesystem::path& folder,
                                                             const std::filesystem::path& cache);

// Whether a requirements file says all it says itself: one that names other files (-r, -c, -e) is resolved anew each
// time.
[[nodiscard]] bool stands_alone(std::string_view requirements);

}  // namespace ydl::client
