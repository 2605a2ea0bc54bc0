#include "cli/args/commands.hpp"
#include "cli/commands/launch.hpp"

namespace ydl::cli {

int execute(const Run& command) {
  return launch_job(command.options, command.spec);
}

}  // namespace ydl::cli
