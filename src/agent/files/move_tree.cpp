#include "agent/files/move_tree.hpp"

#include "core/files.hpp"
#include "core/log.hpp"
#include "core/sha256.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBuffer = std::size_t{1} << 20U;

std::unexpected<core::Error> cannot_keep(const fs::path& from, const fs::path& to, const std::error_code& error) {
  return core::fail(
      core::Error{error, fmt::format("cannot keep {} as {}: {}", from.string(), to.string(), error.message())});
}

std::error_code last_error() {
  return {errno, std::generic_category()};
}

class TreeCopier {
 public:
  explicit TreeCopier(std::stop_token stop) : stop_(std::move(stop)) {}

  core::Result<void> copy(const fs::path& from, const fs::path& to) {
    std::error_code error;
    const auto status = fs::symlink_status(from, error);
    if (error) return cannot_keep(from, to, error);
    switch (status.type()) {
      case fs::file_type::directory:
        return copy_directory(from, to, status.permissions());
      case fs::file_type::symlink:
        fs::copy_symlink(from, to, error);
        break;
      case fs::file_type::regular:
        return copy_file(from, to, status.permissions());
      default:
        core::log("{} is neither a file nor a folder and is left out of the results", from.string());
        break;
    }
    if (error) return cannot_keep(from, to, error);
    return {};
  }

 private:
  core::Result<void> copy_directory(const fs::path& from, const fs::path& to, fs::perms mode) {
    std::error_code error;
    fs::create_directory(to, error);
    if (error) return cannot_keep(from, to, error);
    for (fs::directory_iterator entry(from, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      if (auto copied = copy(entry->path(), to / entry->path().filename()); !copied) return copied;
    }
    if (!error) fs::permissions(to, mode, error);  // at the end, because the mode may forbid writing
    if (error) return cannot_keep(from, to, error);
    return {};
  }

  core::Result<void> copy_file(const fs::path& from, const fs::path& to, fs::perms mode) {
    const core::UniqueFd in(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
    if (!in) return cannot_keep(from, to, last_error());
    const core::UniqueFd out(::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!out) return cannot_keep(from, to, last_error());
    if (buffer_ == nullptr) buffer_ = std::make_unique_for_overwrite<char[]>(kBuffer);
    while (!stop_.stop_requested()) {
      const auto n = ::read(in.get(), buffer_.get(), kBuffer);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return cannot_keep(from, to, last_error());
      if (n == 0) {
        if (::fchmod(out.get(), static_cast<mode_t>(mode)) != 0) return cannot_keep(from, to, last_error());
        return {};
      }
      auto written = core::write_all(out.get(), {buffer_.get(), static_cast<std::size_t>(n)});
      if (!written) return cannot_keep(from, to, written.error().code);
    }
    return core::fail(
        core::Errc::cancelled,
        fmt::format("cannot keep {} as {}: the agent ended before the copy was complete", from.string(), to.string()));
  }

  std::stop_token stop_;
  std::unique_ptr<char[]> buffer_;
};

constexpr std::string_view kUnfinished = ".ydl-unfinished-";

// A name beside the path. It is short even if the path's own name is long, and the same for the next attempt.
fs::path unfinished_copy_of(const fs::path& path) {
  core::Sha256 digest;
  digest.add(path.filename().string());
  return path.parent_path() / fmt::format("{}{}", kUnfinished, digest.hex().substr(0, 16));
}

// rename() cannot replace a folder that is not empty, nor a file with a folder; this function can.
std::error_code rename_over(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  const bool is_in_the_way = error == std::errc::directory_not_empty || error == std::errc::file_exists ||
                             error == std::errc::is_a_directory || error == std::errc::not_a_directory;
  if (!is_in_the_way) return error;
  // Removing a large folder takes a while, and the agent may be killed meanwhile. So the new folder gets its name
  // first.
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
    std::error_code ignored;
    fs::remove_all(from, ignored);
    return {};
  }
  fs::remove_all(to, error);
  fs::rename(from, to, error);
  return error;
}

}  // namespace

core::Result<void> copy_tree(const fs::path& from, const fs::path& to, const std::stop_token& stop) {
  return TreeCopier(stop).copy(from, to);
}

core::Result<void> replace_with_copy(const fs::path& from, const fs::path& to, const std::stop_token& stop) {
  const auto unfinished = unfinished_copy_of(to);
  std::error_code ignored;
  fs::remove_all(unfinished, ignored);  // left by an agent that was killed
  if (auto copied = copy_tree(from, unfinished, stop); !copied) {
    fs::remove_all(unfinished, ignored);
    return copied;
  }
  if (auto renamed = rename_over(unfinished, to); renamed) return cannot_keep(from, to, renamed);
  fs::remove_all(from, ignored);
  return {};
}

void remove_unfinished_copies(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> unfinished;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (name.starts_with(kUnfinished)) unfinished.push_back(entry->path());
  }
  for (const auto& path : unfinished) fs::remove_all(path, error);
}

core::Result<void> move_tree(const fs::path& from, const fs::path& to, const std::stop_token& stop) {
  const auto error = rename_over(from, to);
  if (!error) return {};
  if (error == std::errc::cross_device_link) return replace_with_copy(from, to, stop);
  return cannot_keep(from, to, error);
}

}  // namespace ydl::agent
