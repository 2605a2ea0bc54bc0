#include "hdfs/log_copy.hpp"

#include "core/log.hpp"
#include "hrpc/errors.hpp"
#include "net/spawn.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::hdfs {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10U;
constexpr core::Millis kFirstPause = core::Seconds(1);
constexpr core::Millis kLongestPause = core::Seconds(15);
constexpr int kLongestFinish = 10;  // times `patience`: after this even a copy that makes slow progress is given up

bool is_about_block_size(const core::Error& error) {
  return error.remote && error.remote->message.find("min-block-size") != std::string::npos;
}

}  // namespace

LogCopy::LogCopy(const net::asio::any_io_executor& executor, hdfs::FileSystem& fs, Options options)
    : executor_(executor),
      fs_(fs),
      options_(std::move(options)),
      fsm_(options_.flush_period),
      block_size_(options_.block_size),
      news_(executor),
      ended_(executor) {}

void LogCopy::start() {
  net::spawn(executor_, "copying a log", run(shared_from_this()));
}

void LogCopy::cancel() {
  cancelled_ = true;
  news_.notify();
}

net::Async<> LogCopy::finish(core::Millis patience) {
  fsm_.end();
  news_.notify();
  const auto begun = core::steady_now();
  while (!done_) {
    const auto now = core::steady_now();
    const auto give_up = std::min(std::max(begun, progress_at_) + patience, begun + kLongestFinish * patience);
    if (now >= give_up) break;
    co_await ended_.wait(give_up - now);
  }
  if (done_ && !cancelled_) co_return core::Result<>{};
  if (last_failure_) co_return core::fail(*last_failure_);
  co_return core::fail(core::Errc::timeout,
                       fmt::format("writing {}: HDFS accepted no data in time, or too slowly", options_.to));
}

net::awaitable<void> LogCopy::run(std::shared_ptr<LogCopy> self) {
  auto pause = kFirstPause;
  while (!self->cancelled_ && !self->done_) {
    if (auto copied = co_await self->copy_new_bytes(); !copied) {
      self->failed(copied.error());
      co_await self->news_.wait(pause);
      pause = std::min(pause * 2, kLongestPause);
      continue;
    }
    pause = kFirstPause;
    if (!self->done_) co_await self->news_.wait(self->options_.flush_period);
  }
  self->done_ = true;
  self->ended_.notify();
}

void LogCopy::failed(const core::Error& error) {
  writer_.reset();
  fsm_.failed();
  last_failure_ = error;
  if (std::exchange(has_reported_failure_, true)) return;
  core::log("{}; retrying", error.message);
  options_.on_trouble(error);
}

net::Async<> LogCopy::copy_new_bytes() {
  using Action = LogCopyFsm::Action;
  while (!cancelled_) {
    const auto size = size_of_log();
    if (!size) co_return core::fail(size.error());
    core::Result<> done;
    switch (fsm_.next(*size, core::steady_now())) {
      case Action::open:
        done = co_await open_writer();
        break;
      case Action::write:
        done = co_await write_piece();
        break;
      case Action::flush:
        done = co_await flush();
        break;
      case Action::close:
        done = co_await close();
        break;
      case Action::wait:
        piece_.reset();  // a log without new bytes should not keep its buffer
        co_return done;
      case Action::done:
        done_ = true;
        co_return done;
    }
    if (!done) co_return done;
  }
  co_return core::Result<>{};
}

core::Result<std::uint64_t> LogCopy::size_of_log() {
  if (!file_) file_ = core::UniqueFd(::open(options_.from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file_ && errno == ENOENT) return 0;
  struct stat status{};
  if (!file_ || ::fstat(file_.get(), &status) != 0)
    return core::fail(core::system_error(errno, fmt::format("cannot read {}", options_.from.string())));
  return static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
}

net::Async<> LogCopy::write_piece() {
  if (piece_ == nullptr) piece_ = std::make_unique_for_overwrite<char[]>(kPiece);
  const auto n = ::pread(file_.get(), piece_.get(), kPiece, static_cast<off_t>(fsm_.offset()));
  if (n == 0 || (n < 0 && errno == EINTR)) co_return core::Result<>{};  // the next round handles it
  if (n < 0) co_return core::fail(core::system_error(errno, fmt::format("cannot read {}", options_.from.string())));
  const auto size = static_cast<std::size_t>(n);
  if (auto written = co_await writer_->write({piece_.get(), size}); !written) co_return written;
  fsm_.wrote(size);
  progress_at_ = core::steady_now();
  co_return core::Result<>{};
}

net::Async<> LogCopy::flush() {
  if (auto flushed = co_await writer_->flush(); !flushed) co_return flushed;
  fsm_.flushed(core::steady_now());
  co_return core::Result<>{};
}

net::Async<> LogCopy::close() {
  if (auto closed = co_await writer_->close(); !closed) co_return closed;
  writer_.reset();
  fsm_.closed();
  co_return core::Result<>{};
}

net::Async<bool> LogCopy::is_taken() {
  if (!options_.is_taken) co_return false;
  auto taken = co_await options_.is_taken();
  if (!taken || !*taken) co_return taken;
  core::log("{} is now written by another process", options_.to);
  cancel();
  co_return true;
}

net::Async<> LogCopy::open_writer() {
  if (const auto taken = co_await is_taken(); !taken || *taken)
    co_return taken ? core::Result<>{} : core::fail(taken.error());
  auto opened = created_ ? co_await append_to_file() : co_await create_file();
  if (const auto taken = co_await is_taken(); opened && (!taken || *taken)) {
    if (taken) (void)co_await writer_->close();
    co_return taken ? core::Result<>{} : core::fail(taken.error());
  }
  if (opened && has_reported_failure_)
    core::log("{} can be written again, from byte {} on", options_.to, writer_->length());
  co_return opened;
}

net::Async<> LogCopy::create_file() {
  auto writer = co_await fs_.create(
      options_.to,
      {.overwrite = hdfs::Overwrite::yes, .mode = options_.mode, .replication = {}, .block_size = block_size_});
  if (!writer && block_size_ && is_about_block_size(writer.error())) {
    block_size_.reset();  // the cluster forbids such small blocks, so use its default
    co_return co_await create_file();
  }
  if (!writer) co_return core::fail(writer.error());
  writer_.emplace(*std::move(writer));
  created_ = true;
  fsm_.opened(0);
  co_return core::Result<>{};
}

// The failed writer still holds the lease. Without this recovery, no other writer could append for a minute (HDFS's
// soft limit).
net::Async<> LogCopy::append_to_file() {
  const auto recovered = co_await fs_.recover_lease(options_.to);
  if (!recovered) {
    if (recovered.error().code == hrpc::Errc::not_found) created_ = false;
    co_return core::fail(recovered.error());
  }
  if (!*recovered) {
    co_return core::fail(hrpc::Errc::lease_conflict,
                         fmt::format("writing {}: its last block is being recovered", options_.to));
  }
  auto writer = co_await fs_.append(options_.to);
  if (!writer) co_return core::fail(writer.error());
  writer_.emplace(*std::move(writer));
  fsm_.opened(writer_->length());
  co_return core::Result<>{};
}

}  // namespace ydl::hdfs
