#include "spec/job_fields.hpp"
#include "spec/rules.hpp"

namespace ydl::spec {
namespace {

using core::Errc;
using core::fail;

core::Result<> check_python_env(const JobSpec& job) {
  if (!job.python_env) return {};
  if (job.python) return fail(Errc::usage, "python_env: the job has 'python' already; remove one of the two");
  if (job.image) return fail(Errc::usage, "python_env: the image has its own Python; remove 'image' or 'python_env'");
  return {};
}

}  // namespace

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
  return check_python_env(job);
}

}  // namespace ydl::spec
