#include "client/local/image_runtime.hpp"

#include "master/plan.hpp"

#include <fmt/format.h>

namespace ydl::client {
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
  return fail(Errc::not_found, fmt::format("neither podman nor docker is on PATH to run the image {}: install one "
                                           "of them, or run the job on a cluster",
                                           image.name));
}

}  // namespace

core::Result<spec::JobSpec> with_runtime_of_this_machine(spec::JobSpec job) {
  if (!job.image) return job;
  auto runtime = runtime_of_this_machine(*job.image);
  if (!runtime) return fail(runtime.error());
  job.image->runtime = *std::move(runtime);
  return job;
}

}  // namespace ydl::client
