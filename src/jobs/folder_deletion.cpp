#include "jobs/folder_deletion.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
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
constexpr mode_t kOwnersAll = 0700;

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

std::vector<std::string> names_in(int directory) {
  std::vector<std::string> names;
  const int copy = ::fcntl(directory, F_DUPFD_CLOEXEC, 0);
  const std::unique_ptr<DIR, CloseDirectory> stream(copy < 0 ? nullptr : ::fdopendir(copy));
  if (!stream) {
    if (copy >= 0) ::close(copy);
    return names;
  }
  while (const auto* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

// Works on descriptors of folders, so that no name on the way can be exchanged for a symbolic link meanwhile.
class Deleter {
 public:
  explicit Deleter(const MayGoOn& may_go_on) : may_go_on_(may_go_on) {}

  void remove(int parent, const std::string& name, const fs::path& shown) {
    if (is_late_ || (may_go_on_ && !may_go_on_())) {
      is_late_ = true;
      return;
    }
    if (::unlinkat(parent, name.c_str(), 0) == 0 || errno == ENOENT) return;
    if (errno != EISDIR && errno != EPERM) return note(shown);
    empty(parent, name, shown);
    if (is_late_ || ::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return;
    note(shown);
  }

  [[nodiscard]] Result<bool> result() const {
    if (error_) return fail(*error_);
    return !is_late_;
  }

 private:
  void empty(int parent, const std::string& name, const fs::path& shown) {
    const auto folder = open_writable(parent, name);
    if (!folder) return note(shown);
    for (const auto& entry : names_in(folder.get())) remove(folder.get(), entry, shown / entry);
  }

  static core::UniqueFd open_writable(int parent, const std::string& name) {
    const auto open = [&] {
      return core::UniqueFd(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    };
    auto folder = open();
    if (!folder && errno == EACCES && ::fchmodat(parent, name.c_str(), kOwnersAll, AT_SYMLINK_NOFOLLOW) == 0)
      folder = open();
    struct stat found{};
    if (folder && ::fstat(folder.get(), &found) == 0 && (found.st_mode & kOwnersAll) != kOwnersAll)
      (void)::fchmod(folder.get(), kOwnersAll);  // where that fails, deleting says why
    return folder;
  }

  void note(const fs::path& shown) {
    if (!error_) error_ = core::system_error(errno, fmt::format("cannot delete {}", shown.string()));
  }

  const MayGoOn& may_go_on_;
  bool is_late_ = false;
  std::optional<core::Error> error_;
};

std::optional<core::WallTime> later(const std::optional<core::WallTime>& one, core::WallTime other) {
  return one ? std::max(*one, other) : other;
}

void add(FolderContent& content, const fs::path& path) {
  struct stat found{};
  if (::lstat(path.c_str(), &found) != 0) return;
  content.changed = later(content.changed, core::WallTime(core::Seconds(found.st_mtim.tv_sec)));
  if (S_ISDIR(found.st_mode)) return;
  ++content.files;
  if (S_ISREG(found.st_mode)) content.bytes += static_cast<std::uint64_t>(found.st_size);
}

}  // namespace

FolderContent measure_folder(const fs::path& folder) {
  FolderContent content;
  add(content, folder);
  std::error_code error;
  if (fs::is_symlink(folder, error)) return content;
  using Walk = fs::recursive_directory_iterator;
  for (Walk entry(folder, fs::directory_options::skip_permission_denied, error); !error && entry != Walk();
       entry.increment(error))
    add(content, entry->path());
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
  Deleter deleter(may_go_on);
  deleter.remove(AT_FDCWD, path.string(), path);
  return deleter.result();
}

}  // namespace ydl::jobs
