#include "hdfs/paths.hpp"

#include "core/strings.hpp"

#include <vector>

#include <fmt/format.h>

namespace ydl::hdfs {
namespace {

constexpr std::string_view kScheme = "hdfs://";

bool has_scheme(std::string_view text) {
  const auto colon = text.find("://");
  return colon != std::string_view::npos && text.find('/') == colon + 1;
}

}  // namespace

core::Result<> check_name(std::string_view name) {
  for (auto rest = name; !rest.empty();) {
    const auto length = core::utf8_length(rest);
    if (length == 0) {
      return core::fail(core::Errc::usage,
                        fmt::format("'{}' is not valid UTF-8, which HDFS requires for names: rename the file",
                                    core::printable(name)));
    }
    rest.remove_prefix(length);
  }
  return {};
}

core::Result<std::string> resolve_path(std::string_view text, std::string_view authority, std::string_view home) {
  if (text.empty()) return core::fail(core::Errc::usage, "the path is empty; name a file or directory");
  if (text.find('\0') != std::string_view::npos)
    return core::fail(core::Errc::usage, "a path must not contain a NUL byte");
  if (auto known = check_name(text); !known) return core::fail(known.error());
  if (has_scheme(text)) {
    if (!text.starts_with(kScheme)) {
      return core::fail(core::Errc::usage,
                        fmt::format("'{}' is not an HDFS path; write a path or hdfs://{}/...", text, authority));
    }
    text.remove_prefix(kScheme.size());
    const auto slash = std::min(text.find('/'), text.size());
    const auto named = text.substr(0, slash);
    if (!named.empty() && named != authority) {
      return core::fail(
          core::Errc::usage,
          fmt::format("hdfs://{} is not the file system in use, which is hdfs://{} (fs.defaultFS)", named, authority));
    }
    text.remove_prefix(slash);
    if (text.empty()) text = "/";
  }
  std::vector<std::string_view> parts;
  const auto walk = [&](std::string_view path) {
    for (const auto part : core::split(path, '/')) {
      if (part.empty() || part == ".") continue;
      if (part != "..") {
        parts.push_back(part);
      } else if (!parts.empty()) {
        parts.pop_back();
      }
    }
  };
  if (!text.starts_with('/')) walk(home);
  walk(text);
  std::string path;
  for (const auto part : parts) path.append("/").append(part);
  return path.empty() ? "/" : path;
}

std::string join_path(std::string_view directory, std::string_view name) {
  return directory == "/" ? fmt::format("/{}", name) : fmt::format("{}/{}", directory, name);
}

std::string_view parent_path(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? std::string_view("/") : path.substr(0, slash);
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_below(std::string_view path, std::string_view directory) {
  return path == directory || directory == "/" ||
         (path.starts_with(directory) && path.substr(directory.size()).starts_with('/'));
}

std::string trash_root(std::string_view home) {
  return join_path(home, ".Trash");
}

std::string trash_path(std::string_view home, std::string_view path) {
  return fmt::format("{}/Current{}", trash_root(home), path);
}

}  // namespace ydl::hdfs
