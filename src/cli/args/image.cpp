#include "cli/args/image.hpp"

#include "master/job_image.hpp"
#include "master/plan.hpp"
#include "spec/image_rules.hpp"

#include <fmt/format.h>

namespace ydl::cli {
namespace {

using core::Errc;
using core::fail;

core::Result<std::string> runtime_of_this_machine(const spec::Image& image) {
  const auto is_installed = [](const std::string& name) { return master::find_on_path(name).has_value(); };
  if (image.runtime && *image.runtime != "nodemanager") {
    if (is_installed(*image.runtime)) return *image.runtime;
    return fail(Errc::not_found, fmt::format("{} is not installed on this machine, and is to run the image {}: install "
                                             "it, or leave --image-runtime out",
                                             *image.runtime, image.name));
  }
  for (const auto* name : {"podman", "docker"}) {
    if (is_installed(name)) return name;
  }
  return fail(Errc::not_found, fmt::format("neither podman nor docker is on PATH to run the image {} with: install one "
                                           "of them, or run the job on a cluster",
                                           image.name));
}

}  // namespace

core::Result<spec::JobSpec> with_image(spec::JobSpec job, const ImageOptions& options) {
  if (!options.name.empty()) {
    if (auto ok = spec::check_image_name(options.name); !ok) return fail(ok.error().within("--image"));
    if (!job.image) job.image.emplace();
    job.image->name = options.name;
  }
  const bool has_details = !options.runtime.empty() || !options.mounts.empty();
  if (has_details && !job.image) {
    return fail(Errc::usage, fmt::format("{}: there is no image to use it with; add --image NAME",
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
    return fail(Errc::usage, "--image brings its own Python, --python-env another one: give one of them");
  }
  return job;
}

core::Result<spec::JobSpec> with_runtime_of_this_machine(spec::JobSpec job) {
  if (!job.image) return job;
  auto runtime = runtime_of_this_machine(*job.image);
  if (!runtime) return fail(runtime.error());
  job.image->runtime = *std::move(runtime);
  return job;
}

core::Result<void> check_node_managers_image(const spec::JobSpec& job) {
  const auto runtime = master::image_for_node_manager(job);
  if (!runtime) return {};
  if (job.image->pull) {
    return fail(Errc::usage,
                "image_pull: NodeManagers fetch images as their administrator has set it "
                "(yarn.nodemanager.runtime.linux.docker.image-update); leave it out, or add "
                "image_runtime: podman");
  }
  if (!job.image->options.empty()) {
    return fail(Errc::usage, "image_options: NodeManagers take none; leave them out, or add image_runtime: podman");
  }
  if (auto variables = yarn::runtime_variables(*runtime); !variables) return fail(variables.error());
  return {};
}

}  // namespace ydl::cli
