#include "jobs/folder_deletion.hpp"

#include "core/strings.hpp"
#include "jobs/folder_cursor.hpp"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::jobs {
namespace {

namespace fs = std::filesystem;
using core::fail;
using core::Result;

constexpr std::string_view kHidden = ".deleted-";
constexpr std::size_t kLongestShownPath = 300;

// A folder on the way from the top of a tree to the cursor.
struct Level {
  std::string name;
  std::vector<std::string> entries;  // that are still to be looked at
};

// Deletes a tree from the bottom up.
class Deleter {
 public:
  Deleter(const fs::path& path, const MayGoOn& may_go_on) : path_(path), may_go_on_(may_go_on) {}

  [[nodiscard]] Result<bool> run() {
    if (!may_go_on()) return false;
    if (is_deleted(AT_FDCWD, path_.string())) return result();
    auto cursor = FolderCursor::at(AT_FDCWD, path_.string(), FolderCursor::Open::writable);
    if (!cursor) {
      note("");
      return result();
    }
    levels_.push_back({"", cursor->names()});
    while (!levels_.empty()) {
      auto& level = levels_.back();
      if (level.entries.empty()) {
        const auto name = std::move(level.name);
        levels_.pop_back();
        if (!levels_.empty() && !leave(*cursor, name)) break;
        continue;
      }
      const auto name = std::move(level.entries.back());
      level.entries.pop_back();
      if (!may_go_on()) return false;
      if (!is_deleted(cursor->fd(), name)) enter(*cursor, name);
    }
    if (::unlinkat(AT_FDCWD, path_.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) note("");
    return result();
  }

 private:
  [[nodiscard]] bool may_go_on() const { return !may_go_on_ || may_go_on_(); }

  // False: it is a folder. Other entries are deleted, or it is noted that they cannot be.
  [[nodiscard]] bool is_deleted(int parent, const std::string& name) {
    if (::unlinkat(parent, name.c_str(), 0) == 0 || errno == ENOENT) return true;
    if (errno == EISDIR || errno == EPERM) return false;
    note(name);
    return true;
  }

  void enter(FolderCursor& cursor, const std::string& name) {
    if (!cursor.enter(name)) {
      if (errno == ENOTDIR) errno = EPERM;  // for which it was taken for a folder
      return note(name);
    }
    levels_.push_back({name, cursor.names()});
  }

  // False: the way back is lost.
  [[nodiscard]] bool leave(FolderCursor& cursor, const std::string& name) {
    if (!cursor.leave()) {
      note(name);
      return false;
    }
    if (::unlinkat(cursor.fd(), name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) note(name);
    return true;
  }

  // The first error is kept: of a folder that cannot be emptied, the reason and not that it is not empty.
  void note(const std::string& name) {
    if (error_) return;
    const int number = errno;
    auto shown = path_;
    for (const auto& level : levels_) {
      if (shown.native().size() < kLongestShownPath && !level.name.empty()) shown /= level.name;
    }
    if (!name.empty() && shown.native().size() < kLongestShownPath) shown /= name;
    error_ = core::system_error(number, fmt::format("cannot delete {}", shown.string()));
  }

  [[nodiscard]] Result<bool> result() const {
    if (error_) return fail(*error_);
    return true;
  }

  const fs::path& path_;
  const MayGoOn& may_go_on_;
  std::vector<Level> levels_;
  std::optional<core::Error> error_;
};

// True: it is a folder.
bool add(FolderContent& content, int parent, const std::string& name) {
  struct stat found{};
  if (::fstatat(parent, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return false;
  const core::WallTime changed(core::Seconds(found.st_mtim.tv_sec));
  content.changed = std::max(content.changed.value_or(changed), changed);
  if (S_ISDIR(found.st_mode)) return true;
  ++content.files;
  if (S_ISREG(found.st_mode)) content.bytes += static_cast<std::uint64_t>(found.st_size);
  return false;
}

}  // namespace

FolderContent measure_folder(const fs::path& folder) {
  FolderContent content;
  if (!add(content, AT_FDCWD, folder.string())) return content;
  auto cursor = FolderCursor::at(AT_FDCWD, folder.string(), FolderCursor::Open::as_it_is);
  if (!cursor) return content;
  std::vector<std::vector<std::string>> levels{cursor->names()};
  while (!levels.empty()) {
    if (levels.back().empty()) {
      levels.pop_back();
      if (!levels.empty() && !cursor->leave()) return content;
      continue;
    }
    const auto name = std::move(levels.back().back());
    levels.back().pop_back();
    if (add(content, cursor->fd(), name) && cursor->enter(name)) levels.push_back(cursor->names());
  }
  return content;
}

Result<fs::path> hide_job_folder(const JobFolder& folder) {
  const auto& root = folder.root();
  auto hidden = root.parent_path() / fmt::format("{}{}-{}", kHidden, folder.id().str(), core::random_hex(4));
  if (::rename(root.c_str(), hidden.c_str()) == 0) return hidden;
  if (errno == ENOENT) return fail(core::Errc::not_found, fmt::format("{} does not exist any more", root.string()));
  return fail(core::system_error(
      errno, fmt::format("cannot rename {}, which is the first step of deleting it", root.string())));
}

bool is_hidden_folder(const fs::path& folder) {
  return folder.filename().string().starts_with(kHidden);
}

std::vector<fs::path> list_hidden_folders(const fs::path& jobs) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator entry(jobs, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (is_hidden_folder(entry->path())) folders.push_back(entry->path());
  }
  return folders;
}

Result<bool> delete_tree(const fs::path& path, const MayGoOn& may_go_on) {
  return Deleter(path, may_go_on).run();
}

}  // namespace ydl::jobs
