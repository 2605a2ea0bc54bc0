// cat and tail.
#include "cli/commands/common.hpp"
#include "cli/fs/fs_session.hpp"
#include "ui/screen.hpp"

#include <algorithm>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

constexpr std::size_t kTailPiece = std::size_t{64} << 10U;
constexpr core::Millis kFollowPause = std::chrono::seconds(1);

// Copies to standard output. Returns false if it takes no more: `ydl fs cat … | head` is not an error, and
// check_output() reports the others.
net::Async<bool> copy_out(hdfs::FileReader& reader) {
  for (;;) {
    const auto data = co_await reader.next();
    if (!data) co_return core::fail(data.error());
    if (data->empty()) co_return true;
    const auto written = ui::Screen(STDOUT_FILENO).write({data->data(), data->size()});
    if (!written) co_return false;
  }
}

net::Async<bool> cat(hdfs::FileSystem& fs, std::string path) {
  auto status = co_await status_of(fs, path);
  if (!status) co_return core::fail(status.error());
  if (status->is_directory()) co_return core::fail(core::Errc::refused, fmt::format("{} is a directory", path));
  auto reader = co_await fs.open(path);
  if (!reader) co_return core::fail(reader.error());
  co_return co_await copy_out(*reader);
}

// The position of the last `lines` lines.
net::Async<std::uint64_t> find_lines(hdfs::FileReader& reader, int lines) {
  std::vector<char> piece(kTailPiece);
  std::uint64_t begin = reader.length();
  int found = 0;
  while (begin > 0) {
    const std::uint64_t size = std::min<std::uint64_t>(begin, piece.size());
    begin -= size;
    const auto got = co_await reader.read_at(begin, std::span(piece).first(static_cast<std::size_t>(size)));
    if (!got) co_return core::fail(got.error());
    for (std::size_t i = *got; i-- > 0;) {
      // No line starts after a newline at the end of the file.
      const bool last = begin + i + 1 == reader.length();
      if (piece[i] == '\n' && !last && ++found == lines) co_return begin + i + 1;
    }
  }
  co_return 0;
}

net::Async<> tail(FsSession& session, std::string path) {
  std::uint64_t position = 0;
  for (bool first = true;; first = false) {
    auto reader = co_await session.fs.open(path);
    if (!reader) co_return core::fail(reader.error());
    if (first && session.command.lines > 0) {
      const auto begin = co_await find_lines(*reader, session.command.lines);
      if (!begin) co_return core::fail(begin.error());
      position = *begin;
    } else if (first) {
      position = reader->length();
    }
    // A file that has become shorter was replaced, so it is read from its start.
    if (reader->length() < position) position = 0;
    reader->seek(position);
    const auto more = co_await copy_out(*reader);
    if (!more) co_return core::fail(more.error());
    position = reader->position();
    if (!*more || !session.command.follow) co_return core::Result<>{};
    co_await net::pause(kFollowPause);
  }
}

}  // namespace

net::awaitable<void> fs_cat(FsSession& session) {
  for (const auto& path : co_await expand_all(session, session.command.paths)) {
    const auto more = co_await cat(session.fs, path);
    if (!more) session.fail(more.error());
    if (more && !*more) co_return;
  }
}

net::awaitable<void> fs_tail(FsSession& session) {
  if (session.command.paths.size() > 1) {
    co_return session.fail({core::Errc::usage, "`ydl fs tail` accepts only one file"});
  }
  for (const auto& path : co_await expand_all(session, session.command.paths))
    session.check(co_await tail(session, path));
}

}  // namespace ydl::cli
