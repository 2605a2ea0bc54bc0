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

// What to run, and in what surroundings.
struct LaunchRequest {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;  // complete: nothing is inherited
  std::filesystem::path working_directory;
  std::filesystem::path stdout_file;  // appended to, made when it is not there
  std::filesystem::path stderr_file;
  // True: the task leads a process group of its own. False: it stays in the agent's, where a NodeManager that kills
  // the container's group will find it.
  bool own_group = true;
  // Whom a stop with grace is told first. A program that runs others for us passes it on, and needs its helpers for
  // that.
  enum class ToldToStop { everybody, main_process } told_to_stop = ToldToStop::everybody;
  std::vector<std::filesystem::path> cgroups;  // directories to enter
  std::vector<ResourceLimit> limits;
  std::optional<mode_t> umask;  // nothing: the one of this process
  // An agent that is stopped or hangs cannot end its task when it must. Where it lets the reaper hear nothing for this
  // long (TaskProcess::beat), the reaper kills the task; 0: it never does.
  core::Millis agent_silence{0};
};

// An Error when the request could never be launched: no command, no working directory, a zero byte in a word.
[[nodiscard]] core::Result<void> check(const LaunchRequest& request);

inline constexpr std::string_view kDefaultPath = "/bin:/usr/bin";  // the C library's

// The PATH the command is searched in: the request's own, or the C library's default when it sets none.
[[nodiscard]] std::string_view search_path(const LaunchRequest& request);

// Where a command may lie, in the order tried: itself when it has a slash, else once per element of `path`. An empty
// element is the working directory.
[[nodiscard]] std::vector<std::string> candidates(std::string_view command, std::string_view path);

}  // namespace ydl::agent
