#include "agent/process/launch_request.hpp"

#include "core/strings.hpp"

#include <fmt/format.h>

namespace ydl::agent {
namespace {

bool has_zero(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

}  // namespace

core::Result<void> check(const LaunchRequest& request) {
  if (request.argv.empty() || request.argv.front().empty()) {
    return core::fail(core::Errc::usage, "the task has no command to run");
  }
  if (request.working_directory.empty()) {
    return core::fail(core::Errc::usage, "the task has no working directory");
  }
  for (const auto& word : request.argv) {
    if (has_zero(word)) {
      return core::fail(core::Errc::usage, fmt::format("the argument '{}' holds a zero byte", core::printable(word)));
    }
  }
  for (const auto& [name, value] : request.environment) {
    if (name.empty() || name.find('=') != std::string::npos || has_zero(name) || has_zero(value)) {
      return core::fail(
          core::Errc::usage,
          fmt::format("the environment variable '{}' cannot be passed to a program: a name must not be empty or "
                      "contain '=', and neither name nor value may contain a zero byte",
                      core::printable(name)));
    }
  }
  return {};
}

std::string_view search_path(const LaunchRequest& request) {
  const auto found = request.environment.find("PATH");
  return found == request.environment.end() ? kDefaultPath : std::string_view(found->second);
}

std::vector<std::string> candidates(std::string_view command, std::string_view path) {
  if (command.find('/') != std::string_view::npos) return {std::string(command)};
  std::vector<std::string> places;
  for (const auto directory : core::split(path, ':')) {
    places.push_back(directory.empty() ? fmt::format("./{}", command) : fmt::format("{}/{}", directory, command));
  }
  return places;
}

}  // namespace ydl::agent
