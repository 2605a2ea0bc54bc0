#pragma once

#include "core/result.hpp"
#include "spec/job_spec.hpp"

#include <array>
#include <string>
#include <string_view>

// Rules for the image of a job's tasks, in the style of rules.hpp.
namespace ydl::spec {

inline constexpr std::array<std::string_view, 3> kImageRuntimes{"nodemanager", "podman", "docker"};
inline constexpr std::array<std::string_view, 3> kImagePulls{"missing", "always", "never"};

[[nodiscard]] core::Result<> check_image_name(std::string_view name);
[[nodiscard]] core::Result<> check_image_runtime(std::string_view runtime);
[[nodiscard]] core::Result<> check_image_mount(std::string_view mount);
[[nodiscard]] core::Result<> check_image_network(std::string_view network);
[[nodiscard]] core::Result<> check_image_pull(std::string_view pull);
[[nodiscard]] core::Result<> check_image_option(std::string_view option);

// The parts of a mount, which must be valid by check_image_mount.
struct ImageMount {
  std::string source;
  std::string target;
  bool read_only = true;
};
[[nodiscard]] ImageMount split_mount(std::string_view mount);

}  // namespace ydl::spec
