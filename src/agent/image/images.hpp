#pragma once

#include "protocol/commands.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// Tasks in images: started by the agent, or the agent itself in one that a NodeManager started. Pure but for
// mounts_of, enter_container and look_around.
namespace ydl::agent {

// One task in an image.
struct ImageRun {
  protocol::Image image;
  std::string name;  // of the container
  std::string working_directory;
  std::vector<std::string> mounts;                 // seen in the image under the same path
  std::map<std::string, std::string> environment;  // over the image's own
  std::string token_file = {};                     // Hadoop's, seen under the same path; empty: there is none
};

// The command that runs `argv` in the image: in the foreground, on the host's network, gone when it ends. The values of
// variables are not in it, for everybody can read a command line; the runtime takes them from its own environment.
[[nodiscard]] std::vector<std::string> image_command(const ImageRun& run, const std::vector<std::string>& argv);

// The one line of what a runtime said that tells why it failed: the last that is an error, or the last at all.
[[nodiscard]] std::string why_it_failed(std::string_view output);

// Whether a variable's value travels in the runtime's environment. Those that the runtime itself heeds cannot.
[[nodiscard]] bool passed_by_name(std::string_view variable);

// What the task's files need: its directories, and what its links lead to.
[[nodiscard]] std::vector<std::string> mounts_of(const protocol::Prepare& request);

// Makes the container's directory ours, with links to its files. An image whose entry point is run starts us elsewhere.
// Errors: it cannot be entered or written to.
[[nodiscard]] core::Result<> enter_container(const std::filesystem::path& directory,
                                             const std::filesystem::path& folder);

// What tells a process whether a NodeManager put it into an image.
struct Place {
  bool marked = false;                 // the file that Docker or podman leaves in every container
  std::vector<std::string> ancestors;  // names of the processes above this one, as far as it sees them
};
[[nodiscard]] Place look_around();

// In an image nobody sees the NodeManager, which is a java process; without one it is above its containers. A mark
// alone proves nothing: the NodeManager may itself be in a container.
[[nodiscard]] bool in_image(const Place& place);
[[nodiscard]] std::string image_was_ignored(std::string_view image, std::string_view host);

}  // namespace ydl::agent
