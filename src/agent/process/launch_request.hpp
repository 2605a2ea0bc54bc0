#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/types.h>
#include <vector>

namespace ydl::agent {

struct ResourceLimit {
  int resource = 0;  // RLIMIT_NOFILE, ...
  rlimit value{};
};

// What to run, and in which environment.
struct LaunchRequest {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;  // complete: nothing is inherited
  std::filesystem::path working_directory;
  std::filesystem::path stdout_file;  // created if it does not exist, else appended to
  std::filesystem::path stderr_file;
  // True: the task gets its own process group. False: it stays in the agent's group, which a NodeManager kills as a
  // whole when it ends the container.
  bool own_group = true;
  // Which processes get SIGTERM at a stop with grace. A program that runs the task for us, such as podman, forwards the
  // signal itself and needs its helper processes for that.
  enum class ToldToStop { everybody, main_process } told_to_stop = ToldToStop::everybody;
  std::vector<std::filesystem::path> cgroups;  // the task enters these cgroups
  std::vector<ResourceLimit> limits;
  std::optional<mode_t> umask;  // nothing: the umask of this process
  // An agent that is stopped or hangs cannot end its task in time. So the reaper kills the task if the agent has not
  // called TaskProcess::beat() for this long. 0: never.
  core::Millis agent_silence{0};
};

// Errors: usage, if the request cannot be launched at all: no command, no working directory, a zero byte in a word.
[[nodiscard]] core::Result<void> check(const LaunchRequest& request);

inline constexpr std::string_view kDefaultPath = "/bin:/usr/bin";  // the default of the C library

// The PATH in which the command is searched: that of the request, or the default of the C library if it sets none.
[[nodiscard]] std::string_view search_path(const LaunchRequest& request);

// The paths at which a command may be, in the order in which they are tried: the command itself if it contains a slash,
// else one for each element of `path`. An empty element is the working directory.
[[nodiscard]] std::vector<std::string> candidates(std::string_view command, std::string_view path);

}  // namespace ydl::agent
