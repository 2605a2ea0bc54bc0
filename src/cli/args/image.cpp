#include "cli/args/image.hpp"

#include "spec/image_rules.hpp"

#include <fmt/format.h>

namespace ydl::cli {

using core::Errc;
using core::fail;

core::Result<spec::JobSpec> with_image(spec::JobSpec job, const ImageOptions& options) {
  if (!options.name.empty()) {
    if (auto ok = spec::check_image_name(options.name); !ok) return fail(ok.error().within("--image"));
    if (!job.image) job.image.emplace();
    job.image->name = options.name;
  }
  const bool has_details = !options.runtime.empty() || !options.mounts.empty();
  if (has_details && !job.image) {
    return fail(Errc::usage, fmt::format("{}: the job has no image; add --image NAME",
                                         options.runtime.empty() ? "--image-mount" : "--image-runtime"));
  }
  if (!options.runtime.empty()) {
    if (auto ok = spec::check_image_runtime(options.runtime); !ok) return fail(ok.error().within("--image-runtime"));
    job.image->runtime = options.runtime;
  }
  for (const auto& mount : options.mounts) {
    if (auto ok = spec::check_image_mount(mount); !ok) return fail(ok.error().within("--image-mount"));
    job.image->mounts.push_back(mount);
  }
  if (job.image && job.python_env) {
    return fail(Errc::usage, "--image and --python-env both have a Python; remove one of them");
  }
  return job;
}

}  // namespace ydl::cli
