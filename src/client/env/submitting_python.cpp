#include "client/env/submitting_python.hpp"

#include "master/plan.hpp"

#include <fmt/format.h>

namespace ydl::client {
namespace {

namespace fs = std::filesystem;
using core::fail;
using core::Result;

// The path stays as it is: links to the interpreter of a virtual environment lead out of it.
fs::path environment_of(const fs::path& python) {
  const auto prefix = python.parent_path().parent_path();
  std::error_code error;
  const bool is_environment =
      fs::exists(prefix / "pyvenv.cfg", error) || fs::is_directory(prefix / "conda-meta", error);
  return is_environment ? prefix : fs::path();
}

}  // namespace

bool needs_submitting_python(const spec::JobSpec& job) {
  return job.python_env == spec::kEnvHere || !job.pip_packages.empty() || job.requirements || job.python_version;
}

Result<std::optional<SubmittingPython>> find_submitting_python(const spec::JobSpec& job, const core::Getenv& getenv) {
  std::error_code error;
  if (job.python) {
    auto path = fs::path(*job.python);
    if (path.is_relative() && job.python->find('/') != std::string::npos)
      path = fs::path(job.directory.value_or("/")) / path;
    if (path.is_relative()) path = master::find_on_path(*job.python).value_or(path.string());
    path = path.lexically_normal();
    if (!fs::exists(path, error))
      return fail(core::Errc::usage, fmt::format("--python {} does not exist", path.string()));
    return SubmittingPython{path, environment_of(path)};
  }
  for (const auto* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto folder = getenv(variable).value_or("");
    if (folder.empty()) continue;
    const auto python = fs::path(folder) / "bin/python";
    if (fs::exists(python, error)) return SubmittingPython{python, folder};
    return fail(core::Errc::usage,
                fmt::format("--python-env here: {} is {}, and there is no bin/python in it: activate "
                            "the environment again, or name its interpreter with --python",
                            variable, folder));
  }
  const auto found = master::find_on_path("python3");
  if (!found) return std::optional<SubmittingPython>();
  return SubmittingPython{*found, environment_of(*found)};
}

}  // namespace ydl::client
