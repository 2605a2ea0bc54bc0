#include "spec/image_rules.hpp"

#include "core/strings.hpp"
#include "spec/problems.hpp"
#include "spec/rules.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::spec {
namespace {

using core::Errc;
using core::fail;

constexpr std::size_t kLongestName = 1024;
constexpr std::size_t kLongestNetwork = 255;

// Whether a path contains no separators of mounts, which neither YARN nor the runtimes can quote.
bool is_mountable(std::string_view path) {
  return path.starts_with('/') &&
         std::ranges::none_of(path, [](unsigned char c) { return c <= ' ' || c == 0x7f || c == ',' || c == ':'; });
}

}  // namespace

core::Result<> check_image_name(std::string_view name) {
  if (is_word(name, kLongestName, "_./:@+-")) return {};
  return fail(Errc::usage,
              fmt::format("{} cannot be the name of an image; write it as for podman and docker, for example "
                          "docker.io/library/python:3.11",
                          in_quotes(name)));
}

core::Result<> check_image_runtime(std::string_view runtime) {
  return check_choice(runtime, kImageRuntimes, "image runtime");
}

core::Result<> check_image_pull(std::string_view pull) {
  return check_choice(pull, kImagePulls, "pull policy");
}

core::Result<> check_image_mount(std::string_view mount) {
  const auto parts = core::split(mount, ':');
  const bool is_whole = parts.size() == 2 || (parts.size() == 3 && (parts[2] == "ro" || parts[2] == "rw"));
  if (is_whole && is_mountable(parts[0]) && is_mountable(parts[1])) return {};
  return fail(Errc::usage, fmt::format("{} is not a mount; write /ON/THE/HOST:/IN/THE/IMAGE, with :rw where tasks may "
                                       "write, and paths without blanks, commas and colons",
                                       in_quotes(mount)));
}

core::Result<> check_image_network(std::string_view network) {
  if (is_word(network, kLongestNetwork, "_.:-")) return {};
  return fail(Errc::usage,
              fmt::format("{} cannot be the name of a network; write for example host", in_quotes(network)));
}

core::Result<> check_image_option(std::string_view option) {
  if (!option.starts_with('-')) {
    return fail(Errc::usage, fmt::format("{} is not an option; begin it with '-' and put its value after '=', for "
                                         "example --shm-size=1g",
                                         in_quotes(option)));
  }
  return check_path(option);  // checks that the text can be passed to a process
}

ImageMount split_mount(std::string_view mount) {
  const auto parts = core::split(mount, ':');
  return {std::string(parts[0]), std::string(parts[1]), parts.size() < 3 || parts[2] != "rw"};
}

}  // namespace ydl::spec
