#include "agent/resources/cgroup_files.hpp"

#include "core/files.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

constexpr std::size_t kFileLimit = std::size_t{1} << 20U;

struct Line {
  std::string_view controllers;
  std::string_view path;
};

// "4:memory:/a/b" or "0::/a/b".
std::optional<Line> line_of(std::string_view text, std::string_view controller) {
  for (const auto line : core::split(text, '\n')) {
    const auto first = line.find(':');
    const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const Line found{line.substr(first + 1, second - first - 1), line.substr(second + 1)};
    const auto names = core::split(found.controllers, ',');
    const bool matches =
        controller.empty() ? found.controllers.empty() : std::ranges::find(names, controller) != names.end();
    if (matches && found.path.starts_with('/')) return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> own_cgroup(std::string_view text, std::string_view controller) {
  const auto line = line_of(text, controller);
  if (!line) return std::nullopt;
  return std::string(line->path);
}

std::optional<std::string> mounted_together(std::string_view text, std::string_view controller) {
  const auto line = line_of(text, controller);
  if (!line) return std::nullopt;
  return std::string(line->controllers);
}

std::optional<std::uint64_t> keyed_number(std::string_view text, std::string_view key) {
  for (const auto line : core::split(text, '\n')) {
    if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == ' ') {
      return core::parse_int<std::uint64_t>(core::trim(line.substr(key.size() + 1)));
    }
  }
  return std::nullopt;
}

std::vector<std::string> words_of(const std::filesystem::path& file) {
  const auto text = core::read_file(file, kFileLimit);
  std::vector<std::string> words;
  if (!text) return words;
  std::string spaced = *text;
  std::ranges::replace(spaced, '\n', ' ');
  for (const auto word : core::split(spaced, ' ')) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

std::optional<std::uint64_t> number_of(const std::filesystem::path& file) {
  const auto text = core::read_file(file, kFileLimit);
  if (!text) return std::nullopt;
  return core::parse_int<std::uint64_t>(core::trim(*text));
}

core::Result<void> set_value(const std::filesystem::path& file, std::string_view value) {
  const core::UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd) return core::fail(core::system_error(errno, fmt::format("cannot open {}", file.string())));
  if (::write(fd.get(), value.data(), value.size()) != static_cast<ssize_t>(value.size())) {
    return core::fail(core::system_error(errno, fmt::format("cannot write '{}' into {}", value, file.string())));
  }
  return {};
}

bool may_manage(const std::filesystem::path& directory) {
  return ::access(directory.c_str(), W_OK | X_OK) == 0 && ::access((directory / "cgroup.procs").c_str(), W_OK) == 0;
}

}  // namespace ydl::agent
