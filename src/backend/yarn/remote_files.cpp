#include "backend/yarn/remote_files.hpp"

#include "core/files.hpp"
#include "core/log.hpp"
#include "core/strings.hpp"
#include "core/temporary_names.hpp"
#include "hrpc/errors.hpp"

#include <fmt/format.h>

namespace ydl::backend {
namespace {

constexpr core::Millis kViewPeriod = core::Seconds(5);    // short jobs end before that
constexpr core::Millis kEndPatience = core::Seconds(30);  // if HDFS accepts no events at the end of the job
constexpr const char* kEvents = "events.jsonl";

}  // namespace

std::string revocations(const std::string& job_folder) {
  return job_folder + "/revoked";
}

net::Async<> write_remote_file(hdfs::FileSystem& fs, std::string path, std::string content, std::uint32_t mode) {
  const auto unfinished = core::temporary_name(path);
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
    co_return core::fail(core::Errc::io, fmt::format("{} is longer than a file of ydl can be", path));
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

RecordMirror::RecordMirror(const net::asio::any_io_executor& executor, std::shared_ptr<hdfs::FileSystem> fs,
                           std::filesystem::path from, std::string to, IsTaken is_taken)
    : fs_(std::move(fs)),
      from_(std::move(from)),
      to_(std::move(to)),
      is_taken_(std::move(is_taken)),
      events_(std::make_shared<hdfs::LogCopy>(
          executor, *fs_,
          hdfs::LogCopy::Options{
              .from = from_ / kEvents,
              .to = fmt::format("{}/{}", to_, kEvents),
              .on_trouble =
                  [](const core::Error& error) { core::log("the job's events on HDFS are behind: {}", error.message); },
              .mode = 0600,
              .is_taken = is_taken_})) {}

net::awaitable<void> RecordMirror::copy() {
  while (copying_) co_await net::pause(core::Millis(5));  // the last copy must come after the one in progress
  copying_ = true;
  for (const auto* name :
       {"view.json", "state.json"}) {  // the state last, so that a reader who sees the final state finds all records
    const auto now = look_at(name);
    if (!now || (copied_.contains(name) && copied_.at(name) == *now)) continue;
    const auto written = co_await copy_one(name);
    if (written) {
      copied_[name] = *now;
      complained_ = false;
    } else if (!std::exchange(complained_, true)) {
      core::log("the job's records on HDFS are behind: {}", written.error().message);
    }
  }
  copying_ = false;
}

net::Async<> RecordMirror::copy_one(std::string name) {
  if (is_taken_) {
    const auto taken = co_await is_taken_();
    if (!taken) co_return core::fail(taken.error());
    if (*taken) stopped_ = true;
    if (*taken) co_return core::fail(core::Errc::exists, "another master of the job now writes them");
  }
  const auto content = core::read_file(from_ / name);
  if (!content) co_return core::fail(content.error());
  co_return co_await write_remote_file(*fs_, fmt::format("{}/{}", to_, name), *content);
}

std::optional<RecordMirror::Seen> RecordMirror::look_at(const std::string& name) const {
  std::error_code error;
  const auto path = from_ / name;
  const Seen now{std::filesystem::file_size(path, error), std::filesystem::last_write_time(path, error)};
  return error ? std::nullopt : std::optional(now);
}

net::awaitable<void> RecordMirror::run(std::function<void()> write_view) {
  events_->start();
  std::optional<Seen> viewed;  // the events of the last view
  auto next_view = core::steady_now() + kViewPeriod;
  while (!stopped_) {
    if (const auto events = look_at(kEvents); events != viewed && core::steady_now() >= next_view) {
      write_view();
      viewed = events;
      next_view = core::steady_now() + kViewPeriod;
    }
    co_await copy();
    co_await net::pause(core::Seconds(1));
  }
}

net::awaitable<void> RecordMirror::finish() {
  stopped_ = true;
  if (const auto copied = co_await events_->finish(kEndPatience); !copied)
    core::log("the job's events on HDFS are not complete: {}", copied.error().message);
  co_await copy();
  co_await remove_unfinished();
}

// Removes files that a lost master was writing. Files of a later master, which may be writing now, are kept.
net::awaitable<void> RecordMirror::remove_unfinished() {
  if (is_taken_) {
    const auto taken = co_await is_taken_();
    if (!taken || *taken) co_return;
  }
  const auto entries = co_await list_or_nothing(*fs_, to_);
  if (!entries) co_return core::log("cannot remove incomplete files of a lost master: {}", entries.error().message);
  for (const auto& entry : *entries) {
    if (core::is_temporary_name(entry.name))
      (void)co_await fs_->remove(fmt::format("{}/{}", to_, entry.name), hdfs::Recursive::no);
  }
}

}  // namespace ydl::backend
