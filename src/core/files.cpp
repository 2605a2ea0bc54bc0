#include "core/files.hpp"

#include "core/strings.hpp"
#include "core/temporary_names.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::core {

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void UniqueFd::reset() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(system_error(errno, "cannot make a pipe"));
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return fail(system_error(errno, fmt::format("cannot open {}", path.string())));
  // Most files read here are small. The buffer is on the heap because stack pages, once used, are never returned to the
  // kernel.
  constexpr std::size_t kPiece = 4096;
  std::string content;
  for (;;) {
    const auto have = content.size();
    content.resize(have + std::max(kPiece, have));
    const auto n = ::read(fd.get(), content.data() + have, content.size() - have);
    content.resize(have + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n == 0) return content;
    if (n < 0 && errno != EINTR) return fail(system_error(errno, fmt::format("cannot read {}", path.string())));
    if (content.size() > limit) {
      return fail(Errc::corrupt, fmt::format("{} is larger than {}", path.string(), format_bytes(limit)));
    }
  }
}

Result<void> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return fail(system_error(errno, "cannot write"));
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content, mode_t mode) {
  const std::string temporary = temporary_name(path.string());
  UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!fd) return fail(system_error(errno, fmt::format("cannot write {}", path.string())));
  const auto give_up = [&](int error) {
    ::unlink(temporary.c_str());
    return fail(system_error(error, fmt::format("cannot write {}", path.string())));
  };
  if (auto written = write_all(fd.get(), content); !written) return give_up(written.error().code.value());
  fd.reset();
  if (::rename(temporary.c_str(), path.c_str()) != 0) return give_up(errno);
  return {};
}

Result<void> make_directories(const std::filesystem::path& path, mode_t mode) {
  if (path.empty() || ::mkdir(path.c_str(), mode) == 0) return {};
  if (errno == ENOENT && path.has_parent_path() && path.parent_path() != path) {
    if (auto parent = make_directories(path.parent_path(), mode); !parent) return parent;
    if (::mkdir(path.c_str(), mode) == 0) return {};
  }
  const int error = errno;
  struct stat status{};
  if (error == EEXIST && ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return {};
  return fail(system_error(error, fmt::format("cannot make the directory {}", path.string())));
}

}  // namespace ydl::core
