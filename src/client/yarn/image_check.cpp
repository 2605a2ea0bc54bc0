#include "client/yarn/image_check.hpp"

#include "master/job_image.hpp"

namespace ydl::client {

using core::Errc;
using core::fail;

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

}  // namespace ydl::client
