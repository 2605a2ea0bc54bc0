#include "cli/fs/copy_tree.hpp"

#include "cli/fs/local_target.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

namespace fs = std::filesystem;
using core::fail;

constexpr std::size_t kBuffer = std::size_t{256} << 10U;

net::Async<> copy_file(const fs::path& from, const fs::path& to, hdfs::Overwrite overwrite) {
  const core::UniqueFd source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!source) co_return fail(core::system_error(errno, "opening " + from.string()));
  LocalTarget target(co_await net::asio::this_coro::executor, to.string(), overwrite);
  if (auto opened = co_await target.open(); !opened) co_return opened;
  const auto buffer = std::make_unique_for_overwrite<char[]>(kBuffer);
  for (;;) {
    const auto size = ::read(source.get(), buffer.get(), kBuffer);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) co_return fail(core::system_error(errno, "reading " + from.string()));
    if (size == 0) break;
    if (auto written = co_await target.write({buffer.get(), static_cast<std::size_t>(size)}); !written)
      co_return written;
  }
  if (auto finished = target.finish(); !finished) co_return finished;
  std::error_code ignored;
  if (fs::is_regular_file(to, ignored)) fs::permissions(to, fs::status(from, ignored).permissions(), ignored);
  co_return core::Result<>{};
}

}  // namespace

net::Async<> copy_tree(fs::path from, fs::path to, hdfs::Overwrite overwrite,
                       std::function<void(const core::Error&)> report) {
  if (auto made = core::make_directories(to); !made) co_return made;
  std::error_code error;
  fs::directory_iterator entry(from, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const auto name = to / entry->path().filename();
    std::error_code unreadable;
    const bool is_directory = entry->is_directory(unreadable);
    if (unreadable && unreadable != std::errc::no_such_file_or_directory) {
      report(core::system_error(unreadable.value(), "reading " + entry->path().string()));
      continue;
    }
    if (is_directory && entry->is_symlink(unreadable)) {
      const auto target = fs::canonical(entry->path(), unreadable).string() + "/";
      if ((fs::canonical(from, unreadable).string() + "/").starts_with(target)) continue;
    }
    const auto copied = is_directory ? co_await copy_tree(entry->path(), name, overwrite, report)
                                     : co_await copy_file(entry->path(), name, overwrite);
    if (!copied) report(copied.error());
  }
  if (error) co_return fail(core::system_error(error.value(), "reading " + from.string()));
  co_return core::Result<>{};
}

}  // namespace ydl::cli
