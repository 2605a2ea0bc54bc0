#pragma once

#include "core/result.hpp"

#include <map>
#include <string>
#include <vector>

namespace ydl::yarn {

// A container in an image, started by the NodeManager. A NodeManager without Docker ignores all of this without a
// word: whoever runs in the container must look where it is.
struct ImageRuntime {
  struct Mount {
    std::string source;  // of the host; must be allowed by the administrator
    std::string target;  // absolute, in the image
    bool read_only = true;
  };
  enum class Start {
    script,       // the launch script runs in the image's bash: the container's environment is as everywhere
    entry_point,  // the image's own entry point runs; the NodeManager then sets none of its own variables
  };

  std::string image;
  std::vector<Mount> mounts = {};
  std::string network = {};   // empty: the NodeManager's default
  std::string hostname = {};  // empty: made from the container's id
  Start start = Start::script;
};

// The variables to put into the launch's environment. Errors: usage, naming what cannot be written down in them.
[[nodiscard]] core::Result<std::map<std::string, std::string>> runtime_variables(const ImageRuntime& runtime);

}  // namespace ydl::yarn
