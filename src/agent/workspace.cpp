#include "agent/workspace.hpp"

#include "core/files.hpp"

#include <cerrno>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

namespace fs = std::filesystem;

// More entries than this in one directory are data, not a program's folder: linking them one by one would take long.
constexpr int kMostLinkedEntries = 10'000;

core::Result<void> link(const fs::path& target, const fs::path& link_path) {
  if (::symlink(target.c_str(), link_path.c_str()) == 0 || errno == EEXIST) return {};
  return core::fail(
      core::system_error(errno, fmt::format("cannot link {} into the working directory", target.string())));
}

core::Result<void> link_entries(const fs::path& directory, const fs::path& into) {
  std::error_code error;
  int linked = 0;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (++linked > kMostLinkedEntries) {
      return core::fail(
          core::Errc::usage,
          fmt::format("{} has more than {} entries: run from the directory of the program, or name what it "
                      "needs with --file and add --no-auto-files",
                      directory.string(), kMostLinkedEntries));
    }
    if (auto done = link(entry.path(), into / entry.path().filename()); !done) return done;
  }
  if (error)
    return core::fail(
        core::Error{error, fmt::format("cannot read the directory {}: {}", directory.string(), error.message())});
  return {};
}

}  // namespace

core::Result<void> prepare_workspace(const Prepare& request) {
  for (const auto& directory : {request.working_directory, request.results_directory, request.log_directory}) {
    if (auto made = core::make_directories(directory); !made) return made;
  }
  const fs::path working(request.working_directory);
  for (const auto& [target, name] : request.links) {  // named ones first: they win over what happens to lie around
    std::error_code error;
    if (!fs::exists(target, error))
      return core::fail(core::Errc::not_found, fmt::format("{} does not exist: --file names it", target));
    if (auto parent = core::make_directories((working / name).parent_path()); !parent) return parent;
    if (auto done = link(target, working / name); !done) return done;
  }
  if (request.linked_directory.empty()) return {};
  return link_entries(request.linked_directory, working);
}

}  // namespace ydl::agent
