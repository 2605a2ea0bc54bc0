#pragma once

#include "protocol/commands.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// Tasks in images. Either the agent starts the image, or a NodeManager runs the agent itself in the image. Pure except
// for mounts_of, enter_container and look_around.
namespace ydl::agent {

// A task in an image.
struct ImageRun {
  protocol::Image image;
  std::string name;  // of the container
  std::string working_directory;
  std::vector<std::string> mounts;                 // mounted in the image under the same path
  std::map<std::string, std::string> environment;  // overrides that of the image
  std::string token_file = {};                     // Hadoop's, mounted under the same path; empty if there is none
};

// The command that runs `argv` in the image: in the foreground, on the host's network, with a container that is removed
// at the end. It does not contain the values of variables, because all users can read a command line; the runtime reads
// them from its own environment.
[[nodiscard]] std::vector<std::string> image_command(const ImageRun& run, const std::vector<std::string>& argv);

// The line of a runtime's output that explains its failure: the last error, or else the last line.
[[nodiscard]] std::string why_it_failed(std::string_view output);

// Whether a variable is passed in the runtime's environment. Variables that the runtime itself reads cannot be.
[[nodiscard]] bool passed_by_name(std::string_view variable);

// The mounts that a task needs: its directories, and the targets of its links.
[[nodiscard]] std::vector<std::string> mounts_of(const protocol::Prepare& request);

// Changes to the container's directory and creates links to its files there. An image whose entry point runs starts
// this process in another directory. Errors: the directory cannot be entered or written.
[[nodiscard]] core::Result<> enter_container(const std::filesystem::path& directory,
                                             const std::filesystem::path& folder);

// The signs of whether a NodeManager runs this process in an image.
struct Place {
  bool marked = false;                 // the file that Docker or podman creates in every container exists
  std::vector<std::string> ancestors;  // the names of the visible ancestors of this process
};
[[nodiscard]] Place look_around();

// In an image the NodeManager, a java process, is not visible; without an image it is an ancestor of its containers.
// The mark alone is not enough, because the NodeManager may itself run in a container.
[[nodiscard]] bool in_image(const Place& place);
[[nodiscard]] std::string image_was_ignored(std::string_view image, std::string_view host);

}  // namespace ydl::agent
