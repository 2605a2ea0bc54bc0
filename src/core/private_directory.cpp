#include "core/private_directory.hpp"

#include "core/files.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::core {
namespace {

std::unexpected<Error> foreign(const std::filesystem::path& path, uid_t owner) {
  return fail(Errc::refused, fmt::format("{0} belongs to user {1} and not to you (user {2}), so its owner could read "
                                         "and change ydl's files in it: remove it, or run `chown {2} {0}`",
                                         path.string(), owner, ::geteuid()));
}

}  // namespace

Result<void> make_private_directory(const std::filesystem::path& path) {
  constexpr mode_t kOwnerOnly = 0700;
  constexpr mode_t kModeBits = 07777;
  if (auto made = make_directories(path, kOwnerOnly); !made) return made;
  const auto cannot = [&] { return fail(system_error(errno, fmt::format("cannot use {}", path.string()))); };
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) return cannot();
  // The owner of a link can change its target at any time, so a link of another user is as unsafe as the user's folder.
  if (S_ISLNK(status.st_mode) && status.st_uid != ::geteuid() && status.st_uid != 0)
    return foreign(path, status.st_uid);
  const UniqueFd directory(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory || ::fstat(directory.get(), &status) != 0) return cannot();
  if (status.st_uid != ::geteuid()) return foreign(path, status.st_uid);
  if ((status.st_mode & kModeBits) == kOwnerOnly) return {};
  // fchmod() fails for descriptors opened with O_PATH, but a folder without read permission can only be opened with
  // O_PATH. The path in /proc works for both.
  if (::chmod(fmt::format("/proc/self/fd/{}", directory.get()).c_str(), kOwnerOnly) == 0) return {};
  return cannot();
}

}  // namespace ydl::core
