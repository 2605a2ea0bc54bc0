#pragma once

#include "core/result.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::yarn {

// Runs a container in an image. A NodeManager without Docker silently ignores these settings, so the process in the
// container must check whether it is in the image.
struct ImageRuntime {
  struct Mount {
    // a path of the host, allowed by the administrator, or the name of one of the container's files
    std::string source;
    std::string target;  // absolute path in the image
    bool read_only = true;
  };
  enum class Start {
    script,  // the image runs `bash launch_container.sh`, so everything works as without an image
    // the image's entry point gets the command, without a shell and in the image's own directory; the NodeManager only
    // sets HADOOP_TOKEN_FILE_LOCATION and links no files: they are in kImageFiles
    entry_point,
  };

  std::string image;
  std::vector<Mount> mounts = {};
  std::string network = {};   // empty: the NodeManager's default
  std::string hostname = {};  // empty: derived from the container id
  Start start = Start::script;
};

// The folder with the container's files if the image's entry point is run.
inline constexpr std::string_view kImageFiles = "/ydl";

// The variables to add to the launch's environment. Errors: usage, with the value that cannot be encoded in them.
[[nodiscard]] core::Result<std::map<std::string, std::string>> runtime_variables(const ImageRuntime& runtime);

}  // namespace ydl::yarn
