#include "agent/process/launch_error.hpp"

#include "agent/process/shebang.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <sys/stat.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

namespace fs = std::filesystem;

core::Error make(core::Errc code, std::string message) {
  return {core::make_error_code(code), std::move(message)};
}

std::string text_of(int error) {
  return std::generic_category().message(error);
}

// Only the first folders, because the sentence appears in several lines of the job's events.
std::string brief_path(std::string_view path) {
  constexpr std::size_t kShown = 80;
  if (path.size() <= kShown) return std::string(path);
  const auto cut = std::min(path.rfind(':', kShown), kShown);
  const auto left = std::ranges::count(path.substr(cut), ':');
  return fmt::format("{} and {} more", path.substr(0, cut), core::plural(left, "folder"));
}

core::Error not_found(const LaunchRequest& request) {
  const auto& command = request.argv.front();
  const auto shown = core::printable(command);
  if (command.find('/') == std::string::npos) {
    const bool has_path = request.environment.contains("PATH");
    return make(core::Errc::not_found,
                fmt::format("the command '{}' was not found in {}PATH={}: check its spelling, give its full path, or "
                            "set PATH for the task",
                            shown, has_path ? "" : "the default ", brief_path(search_path(request))));
  }
  const auto file = request.working_directory / command;
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) {
    return make(core::Errc::not_found,
                fmt::format("the command '{}' does not exist{}: check its spelling", shown,
                            command.front() == '/'
                                ? std::string()
                                : fmt::format(" in the working directory {}", request.working_directory.string())));
  }
  return make(core::Errc::not_found,
              fmt::format("the command '{}' exists, but its dynamic loader does not: it was built for another "
                          "system",
                          shown));
}

core::Error denied(const LaunchRequest& request, const fs::path& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) {
    return make(core::Errc::refused,
                fmt::format("the command {} cannot be reached: {}", file.string(), text_of(EACCES)));
  }
  if (S_ISDIR(status.st_mode)) {
    return make(core::Errc::refused, fmt::format("the command {} is a directory", file.string()));
  }
  if ((status.st_mode & 0111U) == 0) {
    // The name as the user wrote it, because the file in the task's working directory is a link or a copy.
    const auto& command = request.argv.front();
    const auto name = command.find('/') == std::string::npos ? file.string() : command;
    return make(core::Errc::refused,
                fmt::format("the command {} is not executable; run `chmod +x {}`, or name the program that runs it, "
                            "for example `python {}`",
                            core::printable(name), core::shell_quote(name), core::shell_quote(name)));
  }
  return make(core::Errc::refused,
              fmt::format("this user may not execute the command {}, or its file system is mounted with noexec",
                          file.string()));
}

core::Error exec_error(const LaunchRequest& request, const SpawnFailure& failure) {
  const auto places = candidates(request.argv.front(), search_path(request));
  const auto index = std::min(static_cast<std::size_t>(std::max(failure.index, 0)), places.size() - 1);
  const auto file = request.working_directory / places[index];
  // exec also reports "no such file" if the interpreter is missing.
  const auto script = first_executable(places, request.working_directory);
  if (failure.stage == SpawnStage::interpreter || failure.error == ENOENT) {
    if (script) {
      if (auto problem = interpreter_problem(*script, search_path(request), request.working_directory)) {
        return make(core::Errc::not_found, std::move(*problem));
      }
    }
    return not_found(request);
  }
  struct stat status{};
  switch (failure.error) {
    case EACCES:
      // A folder of PATH that cannot be searched is not an error of the command.
      if (request.argv.front().find('/') == std::string::npos && ::stat(file.c_str(), &status) != 0)
        return not_found(request);
      return denied(request, file);
    case ENOTDIR:
      return not_found(request);
    case ENOEXEC:
      return make(core::Errc::refused, fmt::format("the command {} is not a program for this machine; it was built for "
                                                   "another kind of processor, or is damaged",
                                                   file.string()));
    case E2BIG:
      return make(core::Errc::refused,
                  "the task's arguments and environment are longer than this system allows: pass "
                  "long lists in a file");
    default:
      return core::system_error(failure.error, fmt::format("cannot run the command {}", file.string()));
  }
}

core::Error directory_error(const LaunchRequest& request, int error) {
  const auto name = request.working_directory.string();
  if (error == ENOENT) {
    return make(core::Errc::not_found, fmt::format("the working directory {} does not exist on this machine", name));
  }
  if (error == ENOTDIR) {
    return make(core::Errc::not_found, fmt::format("the working directory {} is not a directory", name));
  }
  return core::system_error(error, fmt::format("cannot enter the working directory {}", name));
}

core::Error process_error(int error) {
  if (error == EAGAIN) {
    return make(core::Errc::no_capacity,
                "cannot start another process: the limit on this user's processes is reached "
                "(see 'ulimit -u' and the pids cgroup)");
  }
  return core::system_error(error, "cannot start another process");
}

}  // namespace

core::Error explain(const LaunchRequest& request, const SpawnFailure& failure) {
  const auto index = static_cast<std::size_t>(std::max(failure.index, 0));
  switch (failure.stage) {
    case SpawnStage::process:
      return process_error(failure.error);
    case SpawnStage::null_device:
      return core::system_error(failure.error, "cannot open /dev/null for the task");
    case SpawnStage::cgroup:
      return core::system_error(
          failure.error,
          fmt::format("cannot enter the cgroup {}",
                      index < request.cgroups.size() ? request.cgroups[index].string() : std::string("of the task")));
    case SpawnStage::limit:
      return core::system_error(failure.error, "cannot set the task's resource limits");
    case SpawnStage::working_directory:
      return directory_error(request, failure.error);
    case SpawnStage::stdout_file:
      return core::system_error(failure.error,
                                fmt::format("cannot open the log file {}", request.stdout_file.string()));
    case SpawnStage::stderr_file:
      return core::system_error(failure.error,
                                fmt::format("cannot open the log file {}", request.stderr_file.string()));
    case SpawnStage::interpreter:
    case SpawnStage::exec:
      return exec_error(request, failure);
  }
  return core::system_error(failure.error, "cannot start the task");
}

bool is_permanent(const SpawnFailure& failure) {
  if (failure.stage == SpawnStage::interpreter) return true;
  if (failure.stage != SpawnStage::exec) return false;
  switch (failure.error) {
    case ENOENT:
    case ENOTDIR:
    case EACCES:
    case ENOEXEC:
    case E2BIG:
      return true;
    default:
      return false;
  }
}

}  // namespace ydl::agent
