#include "cli/fs/copy_tree.hpp"

#include "cli/fs/local_target.hpp"
#include "core/strings.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

namespace fs = std::filesystem;
using core::fail;

constexpr std::size_t kBuffer = std::size_t{256} << 10U;

core::Error already_here(const fs::path& path) {
  return {core::Errc::exists, fmt::format("{} already exists on this machine; replace it with -f", path.string())};
}

net::Async<std::uint64_t> copy_file(fs::path from, fs::path to, hdfs::Overwrite overwrite) {
  // With O_NONBLOCK the program does not hang if the file was replaced by a pipe since it was listed.
  const core::UniqueFd source(::open(from.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!source) co_return fail(core::system_error(errno, "opening " + from.string()));
  LocalTarget target(co_await net::asio::this_coro::executor, to.string(), overwrite);
  if (auto opened = co_await target.open(); !opened) co_return fail(opened.error());
  const auto buffer = std::make_unique_for_overwrite<char[]>(kBuffer);
  std::uint64_t bytes = 0;
  for (;;) {
    const auto size = ::read(source.get(), buffer.get(), kBuffer);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) co_return fail(core::system_error(errno, "reading " + from.string()));
    if (size == 0) break;
    bytes += static_cast<std::uint64_t>(size);
    if (auto written = co_await target.write({buffer.get(), static_cast<std::size_t>(size)}); !written)
      co_return fail(written.error());
  }
  if (auto finished = target.finish(); !finished) co_return fail(finished.error());
  std::error_code ignored;
  if (fs::is_regular_file(to, ignored)) fs::permissions(to, fs::status(from, ignored).permissions(), ignored);
  co_return bytes;
}

// Copies the link itself and not its target, which may be outside the folder or contain the link.
core::Result<> copy_link(const fs::path& from, const fs::path& to, hdfs::Overwrite overwrite) {
  std::error_code error;
  const auto target = fs::read_symlink(from, error);
  if (error) return fail(core::system_error(error.value(), "reading " + from.string()));
  if (overwrite == hdfs::Overwrite::no) {
    if (::symlink(target.c_str(), to.c_str()) == 0) return {};
    return fail(errno == EEXIST ? already_here(to) : core::system_error(errno, "creating the link " + to.string()));
  }
  const auto unfinished = to.parent_path() / (".link." + core::random_hex(8));
  if (::symlink(target.c_str(), unfinished.c_str()) != 0 || ::rename(unfinished.c_str(), to.c_str()) != 0) {
    const int code = errno;
    ::unlink(unfinished.c_str());
    return fail(core::system_error(code, "creating the link " + to.string()));
  }
  return {};
}

struct Copy {
  hdfs::Overwrite overwrite;
  std::function<void(const core::Error&)> report;
  CopiedTree copied = {};
};

net::Async<> copy_folder(Copy& copy, fs::path from, fs::path to);

net::Async<> copy_entry(Copy& copy, fs::path from, fs::path to) {
  std::error_code error;
  const auto status = fs::symlink_status(from, error);
  if (error) co_return fail(core::system_error(error.value(), "reading " + from.string()));
  if (fs::is_directory(status)) co_return co_await copy_folder(copy, std::move(from), std::move(to));
  if (fs::is_regular_file(status)) {
    const auto bytes = co_await copy_file(std::move(from), std::move(to), copy.overwrite);
    if (!bytes) co_return fail(bytes.error());
    copy.copied.bytes += *bytes;
  } else if (fs::is_symlink(status)) {
    if (auto linked = copy_link(from, to, copy.overwrite); !linked) co_return linked;
  } else {
    co_return fail(core::Errc::refused,
                   fmt::format("{} is a pipe, a socket or a device and was not copied", from.string()));
  }
  ++copy.copied.files;
  co_return core::Result<>{};
}

net::Async<> copy_folder(Copy& copy, fs::path from, fs::path to) {
  std::error_code error;
  fs::directory_iterator entry(from, error);
  if (error) co_return fail(core::system_error(error.value(), "reading " + from.string()));
  if (auto made = core::make_directories(to); !made) co_return made;
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    auto copied = co_await copy_entry(copy, entry->path(), to / entry->path().filename());
    if (!copied) copy.report(copied.error());
  }
  if (error) co_return fail(core::system_error(error.value(), "reading " + from.string()));
  co_return core::Result<>{};
}

}  // namespace

net::Async<CopiedTree> copy_tree(fs::path from, fs::path to, hdfs::Overwrite overwrite,
                                 std::function<void(const core::Error&)> report) {
  Copy copy{overwrite, std::move(report)};
  if (auto copied = co_await copy_folder(copy, std::move(from), std::move(to)); !copied) co_return fail(copied.error());
  co_return copy.copied;
}

net::Async<CopiedTree> copy_files_of(fs::path from, fs::path to, std::vector<std::string> names,
                                     hdfs::Overwrite overwrite, std::function<void(const core::Error&)> report) {
  Copy copy{overwrite, std::move(report)};
  for (const auto& name : names) {
    if (auto made = core::make_directories((to / name).parent_path()); !made) co_return fail(made.error());
    if (auto copied = co_await copy_entry(copy, from / name, to / name); !copied) copy.report(copied.error());
  }
  co_return copy.copied;
}

}  // namespace ydl::cli
