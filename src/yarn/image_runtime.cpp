#include "yarn/image_runtime.hpp"

#include "core/strings.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::yarn {
namespace {

// NodeManagers do not unescape these values, and write them into a shell script without quoting.
constexpr std::string_view kQuotes = "\"'$`\\<{}";

bool is_plain(std::string_view text, std::string_view forbidden) {
  return !text.empty() && std::ranges::none_of(text, [&](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == 0x7f || kQuotes.contains(c) || forbidden.contains(c);
  });
}

core::Result<std::string> mount_text(const ImageRuntime::Mount& mount) {
  constexpr std::string_view kSeparators = ",:";
  if (!is_plain(mount.source, kSeparators) || !is_plain(mount.target, kSeparators) || !mount.target.starts_with('/')) {
    return core::fail(core::Errc::usage, fmt::format("'{}:{}' cannot be mounted: YARN requires paths without commas, "
                                                     "colons, quotes and spaces, and an absolute path in the image",
                                                     core::printable(mount.source), core::printable(mount.target)));
  }
  return fmt::format("{}:{}:{}", mount.source, mount.target, mount.read_only ? "ro" : "rw");
}

}  // namespace

core::Result<std::map<std::string, std::string>> runtime_variables(const ImageRuntime& runtime) {
  if (!is_plain(runtime.image, "")) {
    return core::fail(core::Errc::usage, fmt::format("'{}' is not a valid image name", core::printable(runtime.image)));
  }
  std::map<std::string, std::string> variables{
      {"YARN_CONTAINER_RUNTIME_TYPE", "docker"},
      {"YARN_CONTAINER_RUNTIME_DOCKER_IMAGE", runtime.image},
      // "true" runs the image's entry point. Hadoop's documentation describes the opposite.
      {"YARN_CONTAINER_RUNTIME_DOCKER_RUN_OVERRIDE_DISABLE",
       runtime.start == ImageRuntime::Start::entry_point ? "true" : "false"},
  };
  std::vector<std::string> mounts;
  for (const auto& mount : runtime.mounts) {
    auto text = mount_text(mount);
    if (!text) return core::fail(std::move(text).error());
    mounts.push_back(*std::move(text));
  }
  if (!mounts.empty()) variables["YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS"] = core::join(mounts, ",");
  if (!runtime.network.empty()) variables["YARN_CONTAINER_RUNTIME_DOCKER_CONTAINER_NETWORK"] = runtime.network;
  if (!runtime.hostname.empty()) variables["YARN_CONTAINER_RUNTIME_DOCKER_CONTAINER_HOSTNAME"] = runtime.hostname;
  return variables;
}

}  // namespace ydl::yarn
