#include "spec/job_fields.hpp"
#include "spec/rules.hpp"

#include <fmt/format.h>

namespace ydl::spec {
namespace {

using core::Errc;
using core::fail;

// The key of the job that names or changes a Python environment; empty if there is none.
std::string_view environment_key(const JobSpec& job) {
  if (job.python_env) return "python_env";
  if (job.python_version) return "python_version";
  if (!job.pip_packages.empty()) return "pip_packages";
  if (job.requirements) return "requirements";
  return {};
}

}  // namespace

std::optional<FieldConflict> python_conflict(const JobSpec& job) {
  const auto key = environment_key(job);
  if (key.empty()) return std::nullopt;
  if (job.image) return FieldConflict{key, fmt::format("the image has its own Python; remove 'image' or '{}'", key)};
  if (!job.python || job.python_env == kEnvHere) return std::nullopt;
  return FieldConflict{key, fmt::format("the job has 'python' already; remove one of the two{}",
                                        job.python_env ? "" : ", or add 'python_env: here'")};
}

core::Result<> check_resources(const Resources& resources) {
  return check_fields(resource_fields(), resources);
}

// The ResourceManager chooses the host of the master, and does not count GPUs for it.
core::Result<> check_am_resources(const Resources& resources) {
  if (resources.gpus || !resources.hosts.empty() || !resources.racks.empty() || resources.placement ||
      !resources.types.empty())
    return fail(Errc::usage, "the ApplicationMaster (am) takes memory, vcores and label only");
  return check_resources(resources);
}

core::Result<> check_job(const JobSpec& job) {
  if (auto ok = check_range(job.version, {kVersion, kVersion}); !ok) return fail(ok.error().within("version"));
  if (auto ok = check_fields(job_fields(), job); !ok) return ok;
  const auto conflict = python_conflict(job);
  return conflict ? fail(Errc::usage, fmt::format("{}: {}", conflict->key, conflict->sentence)) : core::Result<>();
}

}  // namespace ydl::spec
