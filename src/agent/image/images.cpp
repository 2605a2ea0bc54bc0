#include "agent/image/images.hpp"

#include "core/files.hpp"
#include "core/paths.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

namespace files = std::filesystem;

constexpr auto kOfTheRuntime = std::to_array<std::string_view>(
    {"PATH", "HOME", "USER", "TMPDIR", "LD_LIBRARY_PATH", "LD_PRELOAD", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME",
     "XDG_DATA_HOME", "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF", "CONTAINER_HOST", "DOCKER_HOST", "DOCKER_CONFIG"});

// The name and the parent of a process, from /proc/PID/stat: "7 (bash) S 1 …", where the name may contain any
// characters.
struct Process {
  std::string name;
  pid_t parent = 0;
};
std::optional<Process> read_process(pid_t pid) {
  const auto text = core::read_file(fmt::format("/proc/{}/stat", pid), 4096);
  if (!text) return std::nullopt;
  const auto open = text->find('(');
  const auto close = text->rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  const auto fields = core::split(std::string_view(*text).substr(std::min(close + 2, text->size())), ' ');
  const auto parent = fields.size() > 1 ? core::parse_int<pid_t>(fields[1]) : std::nullopt;
  if (!parent) return std::nullopt;
  return Process{text->substr(open + 1, close - open - 1), *parent};
}

}  // namespace

bool passed_by_name(std::string_view variable) {
  return std::ranges::find(kOfTheRuntime, variable) == kOfTheRuntime.end();
}

std::vector<std::string> image_command(const ImageRun& run, const std::vector<std::string>& argv) {
  std::vector<std::string> command{
      run.image.runtime,    "run", "--rm", "--name", run.name, "--network=" + run.image.network, "--workdir",
      run.working_directory};
  for (const auto& path : run.mounts) command.insert(command.end(), {"--volume", fmt::format("{}:{}", path, path)});
  if (const auto& file = run.token_file; !file.empty())
    command.insert(command.end(), {"--volume", fmt::format("{}:{}:ro", file, file)});
  for (const auto& [variable, value] : run.environment) {
    command.insert(command.end(),
                   {"--env", passed_by_name(variable) ? variable : fmt::format("{}={}", variable, value)});
  }
  command.insert(command.end(), run.image.options.begin(), run.image.options.end());
  command.push_back(run.image.image);
  command.insert(command.end(), argv.begin(), argv.end());
  return command;
}

std::string why_it_failed(std::string_view output) {
  std::string_view last;
  std::string_view error;
  for (const auto line : core::split(output, '\n')) {
    const auto words = core::trim(line);
    if (words.empty()) continue;
    last = words;
    if (words.starts_with("Error")) error = words;
  }
  return core::printable(error.empty() ? last : error);
}

std::vector<std::string> mounts_of(const protocol::Prepare& request) {
  std::vector<files::path> wanted;
  const auto want = [&](const std::string& path) {
    if (path.empty()) return;
    std::error_code nowhere;
    const auto target = files::canonical(path, nowhere);
    if (nowhere) return;
    wanted.push_back(target);
    if (target != path) wanted.push_back(files::path(path).parent_path());  // the folder of the link itself
  };
  want(request.working_directory);
  want(request.results_directory);
  want(request.linked_directory);
  for (const auto& link : request.links) want(link.target);
  std::ranges::sort(wanted);
  std::vector<std::string> mounts;
  for (const auto& path : wanted) {  // parents come before their contents
    if (mounts.empty() || !core::lies_in(path, mounts.back())) mounts.push_back(path.string());
  }
  return mounts;
}

core::Result<> enter_container(const files::path& directory, const files::path& folder) {
  std::error_code error;
  files::current_path(directory, error);
  if (error)
    return core::fail(core::system_error(
        error.value(), fmt::format("cannot enter the container's directory {} in the image", directory.string())));
  for (files::directory_iterator entry(folder, error); !error && entry != files::directory_iterator();
       entry.increment(error)) {
    const auto name = entry->path().filename();
    files::create_symlink(entry->path(), name, error);
    if (error)
      return core::fail(core::system_error(
          error.value(), fmt::format("cannot link {} into the container's directory", name.string())));
  }
  if (error) return core::fail(core::system_error(error.value(), fmt::format("cannot read {}", folder.string())));
  return {};
}

Place look_around() {
  Place place;
  place.marked = ::access("/.dockerenv", F_OK) == 0 || ::access("/run/.containerenv", F_OK) == 0;
  for (pid_t pid = ::getppid(); pid > 0;) {
    const auto process = read_process(pid);
    if (!process) break;
    place.ancestors.push_back(process->name);
    pid = process->parent;
  }
  return place;
}

bool in_image(const Place& place) {
  return place.marked && std::ranges::find(place.ancestors, "java") == place.ancestors.end();
}

std::string image_was_ignored(std::string_view image, std::string_view host) {
  return fmt::format(
      "the NodeManager on {} ignored the image {}: this container runs outside of it; let its administrator allow it "
      "(docker in yarn.nodemanager.runtime.linux.allowed-runtimes, with the LinuxContainerExecutor), or use "
      "--image-runtime podman",
      host, image);
}

}  // namespace ydl::agent
