#include "cli/fs/fs_session.hpp"
#include "core/strings.hpp"
#include "hdfs/paths.hpp"
#include "hrpc/errors.hpp"

#include <fnmatch.h>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

bool is_pattern(std::string_view text) {
  return text.find_first_of("*?[\\") != std::string_view::npos;
}

// Errors which mean that the path is not a directory, so that nothing below it can match.
bool has_no_entries(const core::Error& error) {
  return error.code == hrpc::Errc::not_found || error.code == hrpc::Errc::not_a_directory;
}

// The entries of a directory whose names match.
net::Async<std::vector<std::string>> matches(hdfs::FileSystem& fs, std::string directory, std::string pattern) {
  std::vector<std::string> found;
  hdfs::ListingCursor from;
  for (;;) {
    auto page = co_await fs.list(directory, std::move(from));
    if (!page && has_no_entries(page.error())) co_return found;
    if (!page) co_return core::fail(page.error());
    for (const auto& entry : page->entries) {
      if (::fnmatch(pattern.c_str(), entry.name.c_str(), FNM_PERIOD) != 0) continue;
      found.push_back(hdfs::join_path(directory, entry.name));
    }
    if (!page->next) co_return found;
    from = *std::move(page->next);
  }
}

}  // namespace

net::Async<std::vector<std::string>> expand(hdfs::FileSystem& fs, std::string pattern) {
  const auto path = fs.resolve(pattern);
  if (!path) co_return core::fail(path.error());
  if (!is_pattern(*path)) co_return std::vector{*path};
  // If a file has exactly this name, the pattern characters need no quoting.
  auto literal = co_await fs.stat(*path);
  if (!literal) co_return core::fail(literal.error());
  if (*literal) co_return std::vector{*path};
  std::vector<std::string> paths{"/"};
  for (const auto part : core::split(std::string_view(*path).substr(1), '/')) {
    std::vector<std::string> next;
    for (const auto& directory : paths) {
      if (!is_pattern(part)) {
        next.push_back(hdfs::join_path(directory, part));
        continue;
      }
      auto found = co_await matches(fs, directory, std::string(part));
      if (!found) co_return core::fail(found.error());
      next.insert(next.end(), found->begin(), found->end());
    }
    paths = std::move(next);
  }
  std::vector<std::string> there;
  for (auto& candidate : paths) {
    auto status = co_await fs.stat(candidate);
    if (!status) co_return core::fail(status.error());
    if (*status) there.push_back(std::move(candidate));
  }
  if (there.empty())
    co_return core::fail(core::Errc::not_found, fmt::format("no file or directory matches {}", pattern));
  co_return there;
}

net::awaitable<std::vector<std::string>> expand_all(FsSession& session, std::vector<std::string> patterns) {
  std::vector<std::string> paths;
  for (auto& pattern : patterns) {
    auto found = co_await expand(session.fs, std::move(pattern));
    if (!found) {
      session.fail(found.error());
      continue;
    }
    paths.insert(paths.end(), found->begin(), found->end());
  }
  co_return paths;
}

net::Async<hdfs::FileStatus> status_of(hdfs::FileSystem& fs, std::string path) {
  auto status = co_await fs.stat(path);
  if (!status) co_return core::fail(status.error());
  if (!*status) co_return core::fail(core::Errc::not_found, fmt::format("{}: no such file or directory", path));
  co_return std::move(**status);
}

}  // namespace ydl::cli
