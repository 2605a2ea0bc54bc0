#pragma once

#include "core/result.hpp"
#include "spec/job_spec.hpp"

namespace ydl::client {

// Whether NodeManagers can do what is asked of them where they are to run the image. Errors: usage.
[[nodiscard]] core::Result<void> check_node_managers_image(const spec::JobSpec& job);

}  // namespace ydl::client
