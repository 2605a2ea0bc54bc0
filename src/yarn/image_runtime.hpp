#pragma once

#include "core/result.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::yarn {

// A container in an image, started by the NodeManager. A NodeManager without Docker ignores all of this without a
// word: whoever runs in the container must look where it is.
struct ImageRuntime {
  struct Mount {
    std::string source;  // of the host, allowed by the administrator; or the name of one of the container's files
    std::string target;  // absolute, in the image
    bool read_only = true;
  };
  enum class Start {
    script,       // `bash launch_container.sh` is what the image is given to run: everything is as everywhere
    entry_point,  // the command itself is, without a shell and in the image's own directory; the NodeManager then sets
                  // no variable but HADOOP_TOKEN_FILE_LOCATION, and links no files: they are in kImageFiles
  };

  std::string image;
  std::vector<Mount> mounts = {};
  std::string network = {};   // empty: the NodeManager's default
  std::string hostname = {};  // empty: made from the container's id
  Start start = Start::script;
};

// Where an image whose entry point is run finds the container's files.
inline constexpr std::string_view kImageFiles = "/ydl";

// The variables to put into the launch's environment. Errors: usage, naming what cannot be written down in them.
[[nodiscard]] core::Result<std::map<std::string, std::string>> runtime_variables(const ImageRuntime& runtime);

}  // namespace ydl::yarn
