#include "master/line_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::master {
namespace {

core::UniqueFd open_to_append(const std::filesystem::path& path) {
  return core::UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
}

}  // namespace

LineFile::LineFile(const std::filesystem::path& path) : path_(path), fd_(open_to_append(path)) {}

core::Result<void> LineFile::append(std::string_view lines) {
  if (!fd_) fd_ = open_to_append(path_);
  struct stat before{};
  if (!fd_ || ::fstat(fd_.get(), &before) != 0)
    return core::fail(core::system_error(errno, fmt::format("cannot open {}", path_.string())));
  auto written = core::write_all(fd_.get(), lines);
  if (written) return {};
  if (::ftruncate(fd_.get(), before.st_size) != 0) fd_.reset();  // it is not a regular file, or was removed
  return core::fail(written.error().within(path_.string()));
}

}  // namespace ydl::master
