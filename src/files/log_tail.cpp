#include "files/log_tail.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::files {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10U;

core::UniqueFd open_log(const std::filesystem::path& path) {
  return core::UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

// Up to `size` bytes from `offset`; fewer at the end of the file.
core::Result<std::size_t> read_at(int fd, char* to, std::size_t size, std::uint64_t offset,
                                  const std::filesystem::path& path) {
  for (;;) {
    const auto n = ::pread(fd, to, size, static_cast<off_t>(offset));
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno != EINTR) return core::fail(core::system_error(errno, fmt::format("cannot read {}", path.string())));
  }
}

}  // namespace

void LogTail::start_again() {
  offset_ = 0;
  lines_.restart();
}

bool LogTail::open_file_grew() const {
  struct stat status{};
  return fd_ && ::fstat(fd_.get(), &status) == 0 && static_cast<std::uint64_t>(status.st_size) > offset_;
}

core::Result<bool> LogTail::follow() {
  struct stat status{};
  if (::stat(path_.c_str(), &status) != 0) {
    if (errno == ENOENT) return open_file_grew();  // a deleted file can still be read completely through fd_
    return core::fail(core::system_error(errno, fmt::format("cannot read {}", path_.string())));
  }
  if (fd_ && status.st_dev == device_ && status.st_ino == inode_) {
    size_ = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
    if (static_cast<std::uint64_t>(status.st_size) < offset_) start_again();
    return static_cast<std::uint64_t>(status.st_size) > offset_;
  }
  auto fd = open_log(path_);
  if (!fd || ::fstat(fd.get(), &status) != 0) {
    if (errno == ENOENT) return open_file_grew();
    return core::fail(core::system_error(errno, fmt::format("cannot read {}", path_.string())));
  }
  if (fd_) start_again();
  fd_ = std::move(fd);
  device_ = status.st_dev;
  inode_ = status.st_ino;
  size_ = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  return static_cast<std::uint64_t>(status.st_size) > offset_;
}

core::Result<LogTail::Update> LogTail::poll() {
  const auto grew = follow();
  if (!grew) return core::fail(grew.error());
  if (!*grew) return Update{};  // the usual case, which costs a single stat()
  buffer_.resize(kPiece);
  const auto n = read_at(fd_.get(), buffer_.data(), kPiece, offset_, path_);
  if (!n) return core::fail(n.error());
  lines_.feed(std::string_view(buffer_).substr(0, *n));
  offset_ += *n;
  if (*n < kPiece) std::string().swap(buffer_);  // a log without new bytes should not keep its buffer
  return Update{*n, *n == kPiece};
}

core::Result<LogSlice> read_slice(const std::filesystem::path& path, std::uint64_t offset, std::size_t most_bytes) {
  const auto fd = open_log(path);
  if (!fd && errno == ENOENT) return LogSlice{};
  struct stat status{};
  if (!fd || ::fstat(fd.get(), &status) != 0) {
    return core::fail(core::system_error(errno, fmt::format("cannot read {}", path.string())));
  }
  LogSlice slice{{}, static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0))};
  if (offset >= slice.size) return slice;
  slice.bytes.resize(std::min<std::uint64_t>(most_bytes, slice.size - offset));
  const auto n = read_at(fd.get(), slice.bytes.data(), slice.bytes.size(), offset, path);
  if (!n) return core::fail(n.error());
  slice.bytes.resize(*n);
  return slice;
}

core::Result<std::vector<std::string>> last_lines(const std::filesystem::path& path, std::size_t count,
                                                  std::size_t most_bytes) {
  const auto fd = open_log(path);
  struct stat status{};
  if (!fd || ::fstat(fd.get(), &status) != 0) {
    return core::fail(core::system_error(errno, fmt::format("cannot read {}", path.string())));
  }
  const auto size = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  std::string text;
  auto start = size;
  // Reads one newline more than lines are requested, because the last line usually ends with one.
  while (start > 0 && text.size() < most_bytes && static_cast<std::size_t>(std::ranges::count(text, '\n')) <= count) {
    const auto step = std::min<std::uint64_t>({start, kBlock, most_bytes - text.size()});
    std::string block(step, '\0');
    const auto n = read_at(fd.get(), block.data(), block.size(), start - step, path);
    if (!n) return core::fail(n.error());
    if (*n != step)
      return core::fail(core::Errc::io,
                        fmt::format("{} was truncated while it was being read; try again", path.string()));
    start -= step;
    text.insert(0, block);
  }
  if (text.ends_with('\n')) text.pop_back();
  std::vector<std::string> lines;
  if (text.empty() && size == 0) return lines;
  for (const auto line : core::split(text, '\n')) lines.emplace_back(line);
  if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
  return lines;
}

}  // namespace ydl::files
