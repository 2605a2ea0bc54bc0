#pragma once

#include "client/env/python_env.hpp"
#include "core/result.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// uv builds Python environments. It need not be installed.
namespace ydl::client {

// Where uv comes from, in the order of the search.
struct UvSource {
  enum class Kind {
    path,    // PATH
    python,  // installed for the Python from which the job is submitted
    cache,   // downloaded by an earlier job
    pip,     // the pip of that Python can download it
    none,
  };
  Kind kind = Kind::none;
  std::filesystem::path program;  // of the first three kinds
};

// Looks for it without downloading anything. `python` is the Python from which the job is submitted.
[[nodiscard]] UvSource look_for_uv(const std::optional<std::filesystem::path>& python,
                                   const std::filesystem::path& cache);

// One sentence for `ydl doctor`: what builds environments here.
[[nodiscard]] std::string describe(const UvSource& source, const std::optional<std::filesystem::path>& python);

// A program that builds environments: uv, which is downloaded if necessary, or else a Python with pip.
struct EnvTool {
  std::filesystem::path uv;          // empty: pip
  std::filesystem::path pip_python;  // with pip, if there is no uv
};

// With pip, uv is downloaded as a wheel from the package index that the user has configured for pip, which checks its
// hash. It is kept in the cache under that hash. If the index has no uv, the Python itself is the tool.
// Errors: not_found, if there are neither uv nor pip.
[[nodiscard]] core::Result<EnvTool> provide_env_tool(const std::optional<std::filesystem::path>& python,
                                                     const std::filesystem::path& cache, const SayLine& say);

}  // namespace ydl::client
