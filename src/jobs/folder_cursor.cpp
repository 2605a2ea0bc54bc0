#include "jobs/folder_cursor.hpp"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ydl::jobs {
namespace {

constexpr mode_t kOwnersAll = 0700;

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

}  // namespace

core::UniqueFd FolderCursor::open_folder(int parent, const std::string& name, Open open) {
  const auto try_open = [&] {
    return core::UniqueFd(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  };
  auto folder = try_open();
  if (open == Open::as_it_is) return folder;
  if (!folder && errno == EACCES && ::fchmodat(parent, name.c_str(), kOwnersAll, AT_SYMLINK_NOFOLLOW) == 0)
    folder = try_open();
  struct stat found{};
  if (folder && ::fstat(folder.get(), &found) == 0 && (found.st_mode & kOwnersAll) != kOwnersAll)
    (void)::fchmod(folder.get(), kOwnersAll);  // where that fails, the change of the folder says why
  return folder;
}

std::optional<FolderCursor::Identity> FolderCursor::identity(int fd) {
  struct stat found{};
  if (::fstat(fd, &found) != 0) return std::nullopt;
  return Identity{found.st_dev, found.st_ino};
}

std::optional<FolderCursor> FolderCursor::at(int parent, const std::string& name, Open open) {
  auto fd = open_folder(parent, name, open);
  if (!fd) return std::nullopt;
  return FolderCursor(std::move(fd), open);
}

std::vector<std::string> FolderCursor::names() const {
  std::vector<std::string> names;
  core::UniqueFd copy(::openat(fd_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, CloseDirectory> stream(copy ? ::fdopendir(copy.get()) : nullptr);
  if (!stream) return names;
  (void)copy.release();  // the stream owns it
  while (const auto* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

bool FolderCursor::enter(const std::string& name) {
  const auto here = identity(fd_.get());
  auto child = open_folder(fd_.get(), name, open_);
  if (!here || !child) return false;
  // A folder without the permission to search it could not be left again.
  const core::UniqueFd back(::openat(child.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!back) return false;
  parents_.push_back(*here);
  fd_ = std::move(child);
  return true;
}

bool FolderCursor::leave() {
  core::UniqueFd parent(::openat(fd_.get(), "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent) return false;
  if (identity(parent.get()) != parents_.back()) {
    errno = ESTALE;
    return false;
  }
  parents_.pop_back();
  fd_ = std::move(parent);
  return true;
}

}  // namespace ydl::jobs
