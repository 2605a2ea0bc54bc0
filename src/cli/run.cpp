#include "cli/commands.hpp"
#include "cli/launch.hpp"

namespace ydl::cli {

int execute(const Run& command) {
  return launch_job(command.options, command.spec);
}

}  // namespace ydl::cli
