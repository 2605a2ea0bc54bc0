// A task inside an image that the agent starts.
#include "agent/images.hpp"
#include "agent/run_program.hpp"
#include "agent/task.hpp"
#include "core/log.hpp"
#include "core/user.hpp"

#include <fmt/format.h>

namespace ydl::agent {

core::Result<void> Task::check_image() const {
  if (!surroundings_.wrong_place.empty()) return core::fail(core::Errc::refused, surroundings_.wrong_place);
  if (!request_.image) return {};
  if (find_program(request_.image->runtime, core::process_getenv("PATH").value_or(""))) return {};
  return core::fail(core::Errc::not_found,
                    fmt::format("{} is not installed on {}: it is to run the image {}", request_.image->runtime,
                                core::host_name(), request_.image->image));
}

void Task::put_into_image(LaunchRequest& launch, const std::map<std::string, std::string>& asked) const {
  ImageRun run{*request_.image, container_name(), request_.working_directory, mounts_of(request_), asked};
  for (const auto* variable : {"CUDA_VISIBLE_DEVICES", "YDL_RESULTS_DIR", "PWD"}) {
    run.environment[variable] = launch.environment[variable];
  }
  launch.argv = image_command(run, launch.argv);
  launch.told_to_stop = LaunchRequest::ToldToStop::main_process;
  // The runtime is a program of this machine and needs its variables; the task sees those that are named.
  for (const auto& [variable, value] : asked) {
    if (passed_by_name(variable)) continue;
    if (const auto own = core::process_getenv(variable.c_str()))
      launch.environment[variable] = *own;
    else
      launch.environment.erase(variable);
  }
}

std::string Task::container_name() const {
  return fmt::format("ydl-{}-{}-{}", surroundings_.job, request_.attempt.task.file_name(), request_.attempt.attempt);
}

// Its processes died with the task; what is left is the runtime's record of it. With Docker the processes are the
// engine's, and this is what ends them.
void Task::remove_container() const {
  if (!request_.image || process_ == nullptr) return;
  const auto removed = run_program({request_.image->runtime, "rm", "-f", container_name()}, core::Seconds(10));
  if (!removed) core::log("{}: {}", request_.attempt.str(), removed.error().message);
}

}  // namespace ydl::agent
