#include "backend/yarn/remote_files.hpp"

#include "core/files.hpp"
#include "core/log.hpp"
#include "core/strings.hpp"
#include "hrpc/errors.hpp"

#include <fmt/format.h>

namespace ydl::backend {
namespace {

constexpr core::Millis kViewPeriod = core::Seconds(5);  // short jobs are over by then

}  // namespace

net::Async<> write_remote_file(hdfs::FileSystem& fs, std::string path, std::string content, std::uint32_t mode) {
  const auto unfinished = fmt::format("{}.{}.tmp", path, core::random_hex(4));
  auto writer = co_await fs.create(unfinished, {.overwrite = hdfs::Overwrite::yes,
                                                .parents = hdfs::Parents::create,
                                                .mode = mode,
                                                .replication = {},
                                                .block_size = {}});
  if (!writer) co_return core::fail(writer.error());
  auto done = co_await writer->write(content);
  if (done) done = co_await writer->close();
  if (done) done = co_await fs.rename(unfinished, path, hdfs::Overwrite::yes);
  if (!done) (void)co_await fs.remove(unfinished, hdfs::Recursive::no);
  co_return done;
}

net::Async<std::string> read_remote_file(hdfs::FileSystem& fs, std::string path, std::size_t limit) {
  auto reader = co_await fs.open(path);
  if (!reader) co_return core::fail(reader.error());
  if (reader->length() > limit)
    co_return core::fail(core::Errc::io, fmt::format("{} is longer than anybody expects it to be", path));
  std::string content;
  for (;;) {
    const auto piece = co_await reader->next();
    if (!piece) co_return core::fail(piece.error());
    if (piece->empty()) co_return content;
    content.append(piece->data(), piece->size());
  }
}

net::Async<std::vector<hdfs::FileStatus>> list_or_nothing(hdfs::FileSystem& fs, std::string path) {
  auto listed = co_await fs.list_all(path);
  if (!listed && listed.error().code == hrpc::Errc::not_found) co_return std::vector<hdfs::FileStatus>{};
  co_return listed;
}

net::awaitable<void> RecordMirror::copy() {
  while (copying_) co_await net::pause(core::Millis(5));  // the last copy must come after the one under way
  copying_ = true;
  for (const auto* name : {"events.jsonl", "view.json", "state.json"}) {  // the state last: who sees the end finds all
    const auto now = news_of(name);
    if (!now) continue;
    const auto content = core::read_file(from_ / name);
    if (!content) continue;
    const auto written = co_await write_remote_file(*fs_, fmt::format("{}/{}", to_, name), *content);
    if (written) {
      copied_[name] = *now;
      complained_ = false;
    } else if (!std::exchange(complained_, true)) {
      core::log("the job's records on HDFS are behind: {}", written.error().message);
    }
  }
  copying_ = false;
}

std::optional<RecordMirror::Seen> RecordMirror::news_of(const std::string& name) const {
  std::error_code error;
  const auto path = from_ / name;
  const Seen now{std::filesystem::file_size(path, error), std::filesystem::last_write_time(path, error)};
  if (error) return std::nullopt;
  const auto seen = copied_.find(name);
  return seen != copied_.end() && seen->second == now ? std::nullopt : std::optional(now);
}

net::awaitable<void> RecordMirror::run(std::function<void()> write_view) {
  bool is_behind = false;
  auto next_view = core::steady_now() + kViewPeriod;
  while (!stopped_) {
    is_behind = is_behind || news_of("events.jsonl");
    if (is_behind && core::steady_now() >= next_view) {
      write_view();
      is_behind = false;
      next_view = core::steady_now() + kViewPeriod;
    }
    co_await copy();
    co_await net::pause(core::Seconds(1));
  }
}

}  // namespace ydl::backend
