#pragma once

#include "core/result.hpp"
#include "spec/job_spec.hpp"

namespace ydl::client {

// If NodeManagers run the image, checks that they support the job's options for it. Errors: usage.
[[nodiscard]] core::Result<void> check_node_managers_image(const spec::JobSpec& job);

}  // namespace ydl::client
