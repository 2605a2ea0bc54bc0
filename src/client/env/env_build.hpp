#pragma once

#include "client/env/python_env.hpp"
#include "core/result.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// Builds Python environments with uv, or with pip if there is no uv, and keeps them in the user's cache:
//
//   CACHE/locks/    what requirements were resolved to
//         envs/     environments, by the content of their lock
//         layers/   added packages, by their environment and their names
namespace ydl::client {

struct EnvRequest {
  std::string name;                                 // as users read it
  std::string python;                               // "3.11"; empty: any
  std::filesystem::path requirements;               // a requirements file; empty: `lock`
  std::string lock;                                 // pinned versions of all packages
  std::optional<std::filesystem::path> submitting;  // the Python from which the job is submitted
};

struct BuiltEnv {
  std::filesystem::path folder;
  std::filesystem::path lock;
};

// Everything is done once for the same request. A requirements file that refers to others is resolved again each time.
// Errors: there are neither uv nor pip; they fail, with their words.
[[nodiscard]] core::Result<BuiltEnv> build_python_env(const EnvRequest& request, const std::filesystem::path& cache,
                                                      const SayLine& say);

// The environment for tasks. Errors: it has been damaged.
[[nodiscard]] core::Result<backend::PythonEnv> built_env(const BuiltEnv& built, const std::string& name,
                                                         const std::filesystem::path& cache);

struct Additions {
  std::vector<std::string> packages;
  std::filesystem::path requirements;  // empty: none
  std::filesystem::path directory;     // in which relative paths of packages begin
};

struct AddRequest {
  std::filesystem::path python;  // of the environment
  std::string base_key;          // identifies the environment; empty: nothing is remembered
  std::string base_lock;         // its packages; empty: they are listed
  Additions additions;
  std::optional<std::filesystem::path> submitting;
};

// Either a folder with the packages, without those that the environment has; or, if they need other versions than it
// has, the lock of one new environment with all packages.
struct AddedLayer {
  std::filesystem::path folder;
  std::string key;  // backend::AddedPackages::key
  std::filesystem::path merged_lock;
};
// Errors: uv is missing or fails; no versions of all packages fit together.
[[nodiscard]] core::Result<AddedLayer> add_packages(const AddRequest& request, const std::filesystem::path& cache,
                                                    const SayLine& say);

}  // namespace ydl::client
