#include "agent/files/workspace.hpp"

#include "agent/files/move_tree.hpp"
#include "core/files.hpp"
#include "core/process_guard.hpp"
#include "files/entry_limit.hpp"
#include "files/ignore_list.hpp"
#include "files/log_times.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

namespace fs = std::filesystem;

core::Result<void> link(const fs::path& target, const fs::path& link_path) {
  if (::symlink(target.c_str(), link_path.c_str()) == 0 || errno == EEXIST) return {};
  return core::fail(
      core::system_error(errno, fmt::format("cannot link {} into the working directory", target.string())));
}

using Entries = core::Result<std::vector<fs::path>>;

Entries list(const fs::path& directory) {
  const files::IgnoreList ignored(directory);
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (ignored.names(entry->path())) continue;
    entries.push_back(entry->path());
    if (entries.size() > files::kMostLinkedEntries) return core::fail(files::too_many_entries(directory));
  }
  if (error)
    return core::fail(
        core::Error{error, fmt::format("cannot read the directory {}: {}", directory.string(), error.message())});
  return entries;
}

core::Result<void> link_entries(const Entries& entries, const fs::path& into) {
  if (!entries) return core::fail(entries.error());
  for (const auto& entry : *entries) {
    if (auto done = link(entry, into / entry.filename()); !done) return done;
  }
  return {};
}

// Creates a directory with the mode that a program of the user would give it: the results folder may be the user's own,
// and an image may run as another user. This does not change the umask, because other threads create files meanwhile.
core::Result<void> make_task_directory(const fs::path& path) {
  std::vector<fs::path> missing;
  std::error_code error;
  for (auto at = path; !at.empty() && !fs::exists(at, error) && at != at.parent_path(); at = at.parent_path())
    missing.push_back(at);
  if (auto made = core::make_directories(path); !made) return made;
  const auto mask = core::original_umask();
  if (!mask) return {};
  for (const auto& made : missing) {
    struct stat status{};
    if (::stat(made.c_str(), &status) != 0) continue;
    // Inherited from the parent, for the logs of a container.
    const auto group = status.st_mode & static_cast<mode_t>(S_ISGID);
    if (::chmod(made.c_str(), (0755U & ~*mask) | group) != 0)
      return core::fail(core::system_error(errno, fmt::format("cannot set the mode of {}", made.string())));
  }
  return {};
}

std::vector<fs::path> names_in(const fs::path& directory) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error); !error && entry != fs::directory_iterator();
       entry.increment(error))
    entries.push_back(entry->path());
  return entries;
}

// fs::remove_all stops at the first entry that it cannot remove, such as one in a read-only folder or of another user.
void remove_what_can_be(const fs::path& path) {
  std::error_code ignored;
  if (fs::symlink_status(path, ignored).type() == fs::file_type::directory) {
    fs::permissions(path, fs::perms::owner_all, fs::perm_options::add, ignored);
    for (const auto& entry : names_in(path)) remove_what_can_be(entry);
  }
  fs::remove(path, ignored);
}

// Afterwards the name is free for the next attempt, even if something cannot be removed.
core::Result<void> clear_away(const fs::path& directory, int earlier) {
  const auto is_taken = [](const fs::path& path) {
    std::error_code unknown;
    return fs::exists(fs::symlink_status(path, unknown));
  };
  const auto named = [&](int number) { return fs::path(fmt::format("{}.{}", directory.string(), number)); };
  auto aside = named(earlier);
  for (int number = earlier + 1; is_taken(aside); ++number) aside = named(number);
  if (::rename(directory.c_str(), aside.c_str()) == 0) {
    remove_what_can_be(aside);
  } else if (errno != ENOENT) {
    return core::fail(
        core::system_error(errno, fmt::format("cannot rename {} to {}", directory.string(), aside.string())));
  }
  return {};
}

// Whether `entry` is a link that prepare_workspace made.
bool is_own_link(const fs::path& entry, const protocol::Prepare& request) {
  std::error_code error;
  const auto target = fs::read_symlink(entry, error);
  if (error) return false;
  const auto name = entry.filename();
  if (target == fs::path(request.results_directory) / name) return true;
  if (!request.linked_directory.empty() && target == fs::path(request.linked_directory) / name) return true;
  return std::ranges::any_of(request.links,
                             [&](const protocol::Link& link) { return link.name == name && link.target == target; });
}

}  // namespace

const Entries& DirectoryListings::entries(const std::string& directory) {
  const std::scoped_lock lock(mutex_);
  const auto found = read_.find(directory);
  return found != read_.end() ? found->second : read_.emplace(directory, list(directory)).first->second;
}

protocol::Prepare with_absolute_paths(protocol::Prepare request, const fs::path& directory, const fs::path& logs) {
  const auto place = [](std::string& path, const fs::path& below) {
    if (!path.empty()) path = (below / path).lexically_normal().string();
  };
  place(request.working_directory, directory);
  place(request.results_directory, directory);
  place(request.linked_directory, directory);
  request.log_directory = (directory / logs / request.log_directory).lexically_normal().string();
  for (auto& link : request.links) place(link.target, directory);
  if (request.packed) {
    for (auto& packed : request.packed->folders) place(packed.archive, directory);
  }
  return request;
}

std::vector<std::string> with_results_folder(std::vector<std::string> argv, std::string_view folder) {
  constexpr std::string_view kWord = "{results}";
  for (auto& argument : argv) {
    for (auto at = argument.find(kWord); at != std::string::npos; at = argument.find(kWord, at)) {
      const auto end = at + kWord.size();
      const bool meant_literally = at > 0 && argument[at - 1] == '{' && end < argument.size() && argument[end] == '}';
      if (meant_literally) {
        argument.erase(end, 1);
        argument.erase(at - 1, 1);
        at += kWord.size() - 1;
      } else {
        argument.replace(at, kWord.size(), folder);
        at += folder.size();
      }
    }
  }
  return argv;
}

bool is_made_quickly(const protocol::Prepare& request) {
  constexpr int kFew = 256;
  int entries = 0;
  for (const auto& directory : {request.linked_directory, request.results_directory}) {
    std::error_code error;
    for (fs::directory_iterator entry(directory, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      if (++entries > kFew) return false;
    }
  }
  return true;
}

fs::path inputs_directory(const protocol::Prepare& request) {
  return request.working_directory + ".inputs";
}

fs::path restore_directory(const protocol::Prepare& request) {
  return request.working_directory + ".restore";
}

core::Result<void> put_earlier_aside(const protocol::Prepare& request, int earlier) {
  for (const auto file : {name(protocol::LogStream::standard_output), name(protocol::LogStream::standard_error),
                          std::string_view(kStacksFile)}) {
    const auto log = (fs::path(request.log_directory) / file).string();
    const auto aside = fmt::format("{}.{}", log, earlier);
    for (const auto suffix : {std::string_view(), files::kTimesSuffix}) {
      const auto from = fmt::format("{}{}", log, suffix);
      const auto to = fmt::format("{}{}", aside, suffix);
      if (::rename(from.c_str(), to.c_str()) != 0 && errno != ENOENT)
        return core::fail(core::system_error(errno, fmt::format("cannot rename {} to {}", from, to)));
    }
  }
  if (auto cleared = clear_away(request.working_directory, earlier); !cleared) return cleared;
  if (auto cleared = clear_away(inputs_directory(request), earlier); !cleared) return cleared;
  return clear_away(restore_directory(request), earlier);
}

core::Result<void> prepare_workspace(const protocol::Prepare& request, DirectoryListings& listings) {
  std::error_code unknown;
  const bool first_attempt = !fs::exists(request.results_directory, unknown);
  for (const auto& directory : {request.working_directory, request.log_directory, request.results_directory}) {
    if (auto made = make_task_directory(directory); !made) return made;
  }
  const fs::path working(request.working_directory);
  for (const auto& [target, name] :
       request.links) {  // named files first, because they win over other files with the same name
    std::error_code error;
    if (!fs::exists(target, error))
      return core::fail(core::Errc::not_found, fmt::format("{} does not exist: --file names it", target));
    if (auto parent = make_task_directory((working / name).parent_path()); !parent) return parent;
    if (auto done = link(target, working / name); !done) return done;
  }
  if (!first_attempt) {
    remove_unfinished_copies(request.results_directory);
    if (auto earlier = link_entries(list(request.results_directory), working); !earlier) return earlier;
  }
  if (request.linked_directory.empty()) return {};
  return link_entries(listings.entries(request.linked_directory), working);
}

core::Result<std::vector<fs::path>> made_by_task(const protocol::Prepare& request) {
  const files::IgnoreList ignored(request.linked_directory);
  std::vector<fs::path> made;
  std::error_code error;
  for (fs::directory_iterator entry(request.working_directory, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (!is_own_link(entry->path(), request) && !ignored.names(entry->path())) made.push_back(entry->path());
  }
  if (error) {
    return core::fail(core::Error{
        error, fmt::format("cannot read the working directory {}: {}", request.working_directory, error.message())});
  }
  return made;
}

core::Result<void> keep_results(const protocol::Prepare& request, const std::stop_token& stop) {
  const auto made = made_by_task(request);
  if (!made) return core::fail(made.error());
  core::Result<void> result;
  for (const auto& entry : *made) {
    const auto kept = fs::path(request.results_directory) / entry.filename();
    if (auto moved = move_tree(entry, kept, stop); !moved && result) result = std::move(moved);
  }
  return result;
}

}  // namespace ydl::agent
