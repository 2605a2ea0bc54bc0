#pragma once

#include "agent/process/launch_request.hpp"
#include "agent/task_context.hpp"
#include "core/result.hpp"
#include "net/asio.hpp"
#include "protocol/commands.hpp"

#include <map>
#include <string>
#include <vector>

namespace ydl::agent {

// The image of a task, and its container, if the agent starts it. For a task without an image the functions do nothing.
class TaskImage {
 public:
  // Both outlive it. The directories in `request` may still change before put_into is called.
  TaskImage(const TaskContext& context, const protocol::Prepare& request) : context_(context), request_(request) {}

  // Errors: the container of this agent is not in its image; podman or docker is not installed.
  [[nodiscard]] core::Result<void> check() const;
  // Fetches the image if it is missing, which may take minutes. Errors: it cannot be found or fetched.
  [[nodiscard]] net::Async<> fetch() const;
  // Makes a launch run in the image; `asked` are the variables that the job sets.
  void put_into(LaunchRequest& launch, const std::map<std::string, std::string>& asked) const;

  // Removes the container of a task that has ended.
  [[nodiscard]] net::awaitable<void> remove() const;
  // The same for the end of the agent, when its event loop no longer runs.
  void remove_now() const;

 private:
  [[nodiscard]] std::string container_name() const;
  [[nodiscard]] std::vector<std::string> removal_command() const;

  const TaskContext& context_;
  const protocol::Prepare& request_;
};

}  // namespace ydl::agent
