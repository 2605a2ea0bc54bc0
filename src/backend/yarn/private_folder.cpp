#include "backend/yarn/private_folder.hpp"

#include "hrpc/errors.hpp"

#include <optional>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

constexpr std::uint32_t kOwnerOnly = 0700;
constexpr std::uint32_t kModeBits = 0777;

core::Error foreign(const std::string& path, const std::string& owner, const std::string& user) {
  return {core::Errc::refused,
          fmt::format("{0} on HDFS belongs to {1} and not to {2}, so the job's files would not be safe in it: "
                      "remove it, or ask for its ownership (`hdfs dfs -chown -R {2} {0}`)",
                      path, owner, user)};
}

net::Async<> make(hdfs::FileSystem& fs, const std::string& path, const std::string& user) {
  auto made = co_await fs.make_directory(path, hdfs::Parents::create, kOwnerOnly);
  if (made || made.error().code != hrpc::Errc::access_denied) co_return made;
  const auto home = fs.home_directory();
  const auto status = co_await fs.stat(home);
  if (!status || *status) co_return made;
  co_return core::fail(
      made.error().code,
      fmt::format("{0} has no home directory in HDFS, where jobs keep their files: ask an administrator "
                  "for it (`hdfs dfs -mkdir {1}; hdfs dfs -chown {0} {1}`)",
                  user, home));
}

}  // namespace

FolderState folder_state(const std::optional<hdfs::FileStatus>& found, const std::string& user) {
  if (!found) return FolderState::missing;
  if (!found->is_directory()) return FolderState::file;
  if (found->owner != user) return FolderState::foreign;
  return (found->permission & kModeBits) == kOwnerOnly ? FolderState::ready : FolderState::open;
}

net::Async<> make_private_folder(hdfs::FileSystem& fs, std::string path, std::string user) {
  auto found = co_await fs.stat(path);
  if (!found && found.error().code != hrpc::Errc::access_denied) co_return core::fail(found.error());
  if (!found || !*found) {
    if (auto made = co_await make(fs, path, user); !made) co_return made;
    found = co_await fs.stat(path);
    if (!found) co_return core::fail(found.error());
  }
  switch (folder_state(*found, user)) {
    case FolderState::ready:
      co_return core::Result<>{};
    case FolderState::open:
      co_return co_await fs.set_permission(path, kOwnerOnly);
    case FolderState::foreign:
      break;
    case FolderState::missing:
      co_return core::fail(core::Errc::io, fmt::format("{} disappeared just after it was created", path));
    case FolderState::file:
      co_return core::fail(core::Errc::refused, fmt::format("{} on HDFS is a file, and jobs keep their files in a "
                                                            "folder of that name: rename the file",
                                                            path));
  }
  // The NameNode's rules (auth_to_local) may map the user to another name than this one. Only the owner or the
  // superuser can set the mode. A folder with the same owner as the home directory was not created by another user.
  const auto refusal = foreign(path, (*found)->owner, user);
  const auto home = co_await fs.stat(path.substr(0, path.rfind('/')));
  if (!home) co_return core::fail(home.error());
  if (!*home || (*home)->owner != (*found)->owner) co_return core::fail(refusal);
  const auto set = co_await fs.set_permission(path, kOwnerOnly);
  co_return set || set.error().code != hrpc::Errc::access_denied ? set : core::fail(refusal);
}

}  // namespace ydl::backend
