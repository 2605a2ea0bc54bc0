#pragma once

#include "core/result.hpp"
#include "spec/job_spec.hpp"

#include <string>
#include <vector>

// --image and what goes with it.
namespace ydl::cli {

struct ImageOptions {
  std::string name;                 // --image
  std::string runtime;              // --image-runtime
  std::vector<std::string> mounts;  // --image-mount
};

// The job with what the command line says about its image, over what its file says. Errors: usage, naming the option.
[[nodiscard]] core::Result<spec::JobSpec> with_image(spec::JobSpec job, const ImageOptions& options);

}  // namespace ydl::cli
