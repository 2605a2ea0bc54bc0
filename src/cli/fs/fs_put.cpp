#include "cli/commands/common.hpp"
#include "cli/fs/fs_copy.hpp"
#include "core/files.hpp"
#include "hdfs/paths.hpp"
#include "hrpc/errors.hpp"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <fmt/format.h>

namespace ydl::cli {
namespace {

namespace files = std::filesystem;

constexpr std::size_t kBuffer = std::size_t{1} << 20U;
constexpr std::string_view kUnfinished = "._COPYING_";  // the same suffix as in Hadoop's own client

// A local file. A pipe or a terminal may be silent for a long time, so waiting for it must not block the handling of
// Ctrl-C.
class Source {
 public:
  Source(const net::asio::any_io_executor& executor, core::UniqueFd file) : file_(std::move(file)) {
    struct stat status{};
    const bool may_wait = ::fstat(file_.get(), &status) == 0 &&
                          (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || ::isatty(file_.get()) == 1);
    if (may_wait) waiting_ = std::make_shared<net::asio::posix::stream_descriptor>(executor, ::dup(file_.get()));
  }

  // Waits until there is something to read, or the session is interrupted.
  net::awaitable<void> wait(FsSession& session) {
    if (waiting_ == nullptr) co_return;
    if (!listening_) {
      session.on_interrupt.emplace_back([descriptor = std::weak_ptr(waiting_)] {
        if (const auto still_there = descriptor.lock()) still_there->cancel();
      });
    }
    listening_ = true;
    (void)co_await waiting_->async_wait(net::asio::posix::stream_descriptor::wait_read, net::tuple);
  }

  [[nodiscard]] ssize_t read(std::span<char> into) const { return ::read(file_.get(), into.data(), into.size()); }

 private:
  core::UniqueFd file_;
  std::shared_ptr<net::asio::posix::stream_descriptor> waiting_;
  bool listening_ = false;
};

net::Async<> copy_bytes(FsSession& session, CopyProgress& progress, Source source, hdfs::FileWriter& writer,
                        const std::string& name) {
  const auto buffer = std::make_unique_for_overwrite<char[]>(kBuffer);
  for (;;) {
    co_await source.wait(session);
    if (session.interrupted != 0) break;
    const auto size = source.read({buffer.get(), kBuffer});
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) co_return core::fail(core::system_error(errno, "reading " + name));
    if (size == 0) co_return core::Result<>{};
    auto written = co_await writer.write({buffer.get(), static_cast<std::size_t>(size)});
    if (!written) co_return core::fail(written.error());
    progress.add(static_cast<std::uint64_t>(size));
  }
  co_return core::fail(core::Errc::cancelled, fmt::format("the copy of {} was interrupted", name));
}

net::Async<> write_file(FsSession& session, CopyProgress& progress, const CopyFile& file,
                        const std::string& unfinished) {
  const auto overwrite = session.command.force ? hdfs::Overwrite::yes : hdfs::Overwrite::no;
  if (overwrite == hdfs::Overwrite::no) {  // checked first, before gigabytes are copied in vain
    const auto there = co_await session.fs.stat(file.to);
    if (!there) co_return core::fail(there.error());
    if (*there) co_return core::fail(already_there(file.to));
  }
  const bool standard = file.from == "-";
  core::UniqueFd opened(standard ? ::dup(STDIN_FILENO) : ::open(file.from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened) co_return core::fail(core::system_error(errno, "opening " + file.from));
  Source source(co_await net::asio::this_coro::executor, std::move(opened));
  auto writer =
      co_await session.fs.create(unfinished, {.overwrite = hdfs::Overwrite::yes, .replication = {}, .block_size = {}});
  if (!writer) co_return core::fail(writer.error());
  auto copied = co_await copy_bytes(session, progress, std::move(source), *writer, file.from);
  if (!copied) co_return core::fail(copied.error());
  if (auto closed = co_await writer->close(); !closed) co_return core::fail(closed.error());
  auto renamed = co_await session.fs.rename(unfinished, file.to, overwrite);
  if (!renamed && renamed.error().code == hrpc::Errc::exists) co_return core::fail(already_there(file.to));
  co_return renamed;
}

// Writes under a temporary name until the file is complete, so that readers never see an incomplete file.
net::Async<> put_one(FsSession& session, CopyProgress& progress, CopyFile file) {
  const std::string unfinished =
      hdfs::join_path(hdfs::parent_path(file.to), unfinished_name("", hdfs::base_name(file.to), kUnfinished));
  auto done = co_await write_file(session, progress, file, unfinished);
  if (!done) (void)co_await session.fs.remove(unfinished, hdfs::Recursive::no);
  co_return done;
}

// The files to copy for one argument of the command line.
struct Plan {
  std::vector<std::string> directories;
  std::vector<CopyFile> files;
};

// Identifies a file independently of its path.
using FileNumber = std::pair<dev_t, ino_t>;

std::optional<FileNumber> number_of(const files::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileNumber(status.st_dev, status.st_ino);
}

// HDFS has no links, so the target of a link is copied. `above` has all folders that contain the path.
core::Result<> plan_local(const files::path& from, const std::string& to, Plan& plan, std::vector<FileNumber> above) {
  if (auto known = hdfs::check_name(to); !known) return known;
  std::error_code error;
  const auto status = files::status(from, error);
  if (!files::exists(status)) {
    return core::fail(core::Errc::not_found, fmt::format("{}: no such file or directory", from.string()));
  }
  const bool is_named = above.empty();  // named by the user, not found in a folder
  if (!is_named && !files::is_directory(status) && !files::is_regular_file(status)) {
    return core::fail(
        core::Errc::refused,
        fmt::format("{} is a pipe, a socket or a device and cannot be copied; remove it, or name the files to copy",
                    from.string()));
  }
  if (!files::is_directory(status)) {
    const auto size = files::is_regular_file(status) ? files::file_size(from, error) : 0;
    plan.files.push_back({from.string(), to, error ? 0 : size});
    return {};
  }
  const auto number = number_of(from);
  if (number && std::ranges::find(above, *number) != above.end()) {
    return core::fail(
        core::Errc::refused,
        fmt::format("{} is a link to a folder that contains it; remove it, or name the files to copy", from.string()));
  }
  above.push_back(number.value_or(FileNumber{}));
  plan.directories.push_back(to);
  files::directory_iterator entry(from, error);
  for (; !error && entry != files::directory_iterator(); entry.increment(error)) {
    auto planned = plan_local(entry->path(), hdfs::join_path(to, entry->path().filename().string()), plan, above);
    if (!planned) return planned;
  }
  if (error) return core::fail(core::Errc::io, fmt::format("reading {}: {}", from.string(), error.message()));
  return {};
}

std::string local_name(const std::string& word) {
  const auto path = files::path(word).lexically_normal();
  const auto name = path.filename().empty() || path.filename() == "." ? path.parent_path().filename() : path.filename();
  if (!name.empty() && name != "." && name != "..") return name.string();
  std::error_code ignored;
  return files::canonical(word, ignored).filename().string();
}

}  // namespace

net::awaitable<void> fs_put(FsSession& session) {
  auto words = session.command.paths;
  const auto target = session.fs.resolve(words.back());
  if (!target) co_return session.fail(target.error());
  const bool slash = words.back().ends_with('/');
  words.pop_back();
  auto status = co_await session.fs.stat(*target);
  if (!status) co_return session.fail(status.error());
  const bool into = *status && (*status)->is_directory();
  if ((words.size() > 1 || slash) && !into) {
    co_return session.fail(
        {core::Errc::usage, fmt::format("{} is not a directory; create one with `ydl fs mkdir -p`", *target)});
  }
  Plan plan;
  for (const auto& word : words) {
    if (word == "-" && into) {
      session.fail(
          {core::Errc::usage, fmt::format("standard input needs a file name, but {} is a directory", *target)});
    } else if (word == "-") {
      plan.files.push_back({word, *target, 0});
    } else {
      session.check(plan_local(word, into ? hdfs::join_path(*target, local_name(word)) : *target, plan, {}));
    }
  }
  for (const auto& directory : plan.directories) {
    if (!session.check(co_await session.fs.make_directory(directory, hdfs::Parents::create))) co_return;
  }
  co_await copy_files(session, std::move(plan.files), put_one);
}

}  // namespace ydl::cli
