#include "files/unpack_tar.hpp"

#include "core/files.hpp"
#include "core/strings.hpp"
#include "files/tar_reader.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ydl::files {
namespace {

namespace fs = std::filesystem;
using core::Errc;
using core::fail;
using core::Result;

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr std::size_t kPiece = 256 << 10U;

bool is_full(int error) {
  return error == ENOSPC || error == EDQUOT;
}

// Whether a link below the folder leads to a path below it, as its text says.
bool leads_inside(std::string_view name, std::string_view target) {
  if (target.empty() || target.starts_with('/') || target.find('\0') != std::string_view::npos) return false;
  auto depth = static_cast<std::int64_t>(core::split(name, '/').size()) - 1;
  for (const auto part : core::split(target, '/')) {
    if (part == "..") --depth;
    if (!part.empty() && part != "." && part != "..") ++depth;
    if (depth < 0) return false;
  }
  return true;
}

class Unpacker {
 public:
  Unpacker(ReadBytes archive, const fs::path& folder, const UnpackLimits& limits)
      : reader_(std::move(archive)), folder_(folder), limits_(limits), buffer_(kPiece) {}

  Result<void> run() {
    root_ = core::UniqueFd(::open(folder_.c_str(), kFolderFlags));
    if (!root_) return fail(failed(errno, "open", ""));
    for (;;) {
      if (limits_.stop.stop_requested()) return fail(Errc::cancelled, "unpacking was interrupted");
      const auto member = reader_.next();
      if (!member) return fail(member.error());
      if (!*member) return {};
      if (++members_ > limits_.members || (*member)->size > limits_.bytes - bytes_) return fail(too_much());
      bytes_ += (*member)->size;
      if (auto made = make(**member); !made) return made;
    }
  }

 private:
  [[nodiscard]] core::Error failed(int error, std::string_view what, std::string_view name) const {
    const auto path = (folder_ / name).string();
    if (is_full(error))
      return {Errc::no_capacity, fmt::format("cannot {} {}: the disk or the quota is full", what, path)};
    return core::system_error(error, fmt::format("cannot {} {}", what, path));
  }

  [[nodiscard]] core::Error too_much() const {
    return {Errc::no_capacity, fmt::format("the archive contains more than the announced {} and {} members",
                                           core::format_bytes(limits_.bytes), limits_.members)};
  }

  Result<void> make(const TarMember& member) {
    const auto slash = member.name.rfind('/');
    const auto parent = slash == std::string::npos ? std::string() : member.name.substr(0, slash);
    const auto leaf = slash == std::string::npos ? member.name : member.name.substr(slash + 1);
    if (auto opened = open_folder(parent); !opened) return opened;
    switch (member.kind) {
      case TarMember::Kind::directory:
        if (::mkdirat(folder_fd(), leaf.c_str(), 0755) == 0 || errno == EEXIST) return {};
        return fail(failed(errno, "create", member.name));
      case TarMember::Kind::link:
        if (!leads_inside(member.name, member.link_target)) return {};
        if (::symlinkat(member.link_target.c_str(), folder_fd(), leaf.c_str()) == 0) return {};
        return fail(failed(errno, "create", member.name));
      case TarMember::Kind::file:
        break;
    }
    return write_file(member, leaf);
  }

  Result<void> write_file(const TarMember& member, const std::string& leaf) {
    const core::UniqueFd file(::openat(folder_fd(), leaf.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                       member.is_program ? 0755 : 0644));
    if (!file) return fail(failed(errno, "create", member.name));
    // The umask of the agent must not take away permissions: containers of images run as other users.
    if (::fchmod(file.get(), member.is_program ? 0755 : 0644) != 0) return fail(failed(errno, "create", member.name));
    for (;;) {
      if (limits_.stop.stop_requested()) return fail(Errc::cancelled, "unpacking was interrupted");
      const auto size = reader_.read(buffer_);
      if (!size) return fail(size.error());
      if (*size == 0) return {};
      if (auto written = write(file.get(), {buffer_.data(), *size}, member.name); !written) return written;
    }
  }

  Result<void> write(int fd, std::string_view bytes, std::string_view name) {
    while (!bytes.empty()) {
      const auto size = ::write(fd, bytes.data(), bytes.size());
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) return fail(failed(errno, "write", name));
      bytes.remove_prefix(static_cast<std::size_t>(size));
    }
    return {};
  }

  [[nodiscard]] int folder_fd() const { return open_ ? open_.get() : root_.get(); }

  // Opens a folder below the root and keeps it open, because members are sorted. Folders that no member names are made.
  Result<void> open_folder(const std::string& name) {
    if (name == open_name_) return {};
    open_.reset();
    open_name_.clear();
    if (name.empty()) return {};
    int at = root_.get();
    core::UniqueFd next;
    for (const auto part : core::split(name, '/')) {
      const std::string step(part);
      core::UniqueFd below(::openat(at, step.c_str(), kFolderFlags));
      if (!below && errno == ENOENT && ::mkdirat(at, step.c_str(), 0755) == 0)
        below = core::UniqueFd(::openat(at, step.c_str(), kFolderFlags));
      if (!below) return fail(failed(errno, "open the folder", name));
      next = std::move(below);
      at = next.get();
    }
    open_ = std::move(next);
    open_name_ = name;
    return {};
  }

  TarReader reader_;
  const fs::path& folder_;
  const UnpackLimits& limits_;
  std::vector<char> buffer_;
  core::UniqueFd root_;
  core::UniqueFd open_;  // the folder of the last member; empty: the root
  std::string open_name_;
  std::uint64_t bytes_ = 0;
  std::uint64_t members_ = 0;
};

// The checksum of the last piece is behind the end of the archive.
Result<void> read_to_end(ZstdReader& unzipped) {
  constexpr std::size_t kMostPadding = 1 << 20U;
  std::string buffer(64 << 10U, '\0');
  for (std::size_t total = 0; total <= kMostPadding;) {
    const auto size = unzipped.read(buffer);
    if (!size) return fail(size.error());
    if (*size == 0) return {};
    total += *size;
  }
  return fail(Errc::corrupt, "there is more data behind the end of the archive");
}

}  // namespace

Result<void> unpack_tar(ReadBytes archive, const fs::path& folder, const UnpackLimits& limits) {
  return Unpacker(std::move(archive), folder, limits).run();
}

Result<void> unpack_tar_zst(const fs::path& archive, const fs::path& folder, const UnpackLimits& limits) {
  const core::UniqueFd file(::open(archive.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail(core::system_error(errno, fmt::format("cannot open {}", archive.string())));
  ZstdReader unzipped([&](std::span<char> into) -> Result<std::size_t> {
    for (;;) {
      const auto size = ::read(file.get(), into.data(), into.size());
      if (size >= 0) return static_cast<std::size_t>(size);
      if (errno != EINTR) return fail(core::system_error(errno, fmt::format("cannot read {}", archive.string())));
    }
  });
  auto done = unpack_tar([&](std::span<char> into) { return unzipped.read(into); }, folder, limits);
  if (done) done = read_to_end(unzipped);
  if (!done && done.error().code == Errc::corrupt) return fail(done.error().within(archive.string()));
  return done;
}

}  // namespace ydl::files
