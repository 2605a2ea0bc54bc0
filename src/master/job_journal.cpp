#include "master/job_journal.hpp"

#include "core/log.hpp"
#include "hrpc/errors.hpp"
#include "job/journal_codec.hpp"
#include "master/journal_errors.hpp"
#include "master/journal_takeover.hpp"
#include "net/spawn.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::master {
namespace {

constexpr core::Millis kFirstPause{250};
constexpr core::Millis kLongestPause = core::Seconds(5);
constexpr core::Millis kLong = core::Seconds(60);  // longer than any wait; a signal ends it

}  // namespace

JobJournal::JobJournal(const net::asio::any_io_executor& executor, hdfs::FileSystem& fs, Options options)
    : executor_(executor),
      fs_(fs),
      options_(std::move(options)),
      folder_(options_.folder + "/journal"),
      news_(executor),
      times_(executor),
      steps_(executor),
      ending_(executor) {}

net::Async<JobJournal::Opened> JobJournal::open() {
  const auto self = shared_from_this();
  const auto deadline = core::steady_now() + options_.open_within;
  auto claim = co_await claim_epoch(fs_, folder_, deadline);
  if (!claim) co_return core::fail(claim.error());
  epoch_ = claim->epoch;
  path_ = journal_path(folder_, epoch_);
  writer_.emplace(std::move(claim->writer));
  if (auto recovered = co_await recover_files(fs_, folder_, epoch_ - 1, deadline); !recovered) {
    co_return core::fail(recovered.error());
  }
  auto content = co_await read_files(fs_, folder_, epoch_ - 1, deadline);
  if (!content) co_return core::fail(content.error());
  const auto began = content->began.value_or(core::wall_now());
  if (auto written = co_await write_header(began, deadline); !written) co_return core::fail(written.error());
  open_ = true;
  co_return Opened{.epoch = epoch_, .began = began, .events = std::move(content->events)};
}

// From here on the file is written in the same way as later, with retries.
net::Async<> JobJournal::write_header(core::WallTime began, core::Instant deadline) {
  fsm_.emplace(job::encode_header({.number = epoch_, .began = began}), options_.behind_after, core::steady_now());
  net::spawn(executor_, "writing the job's journal", run(shared_from_this()));
  net::spawn(executor_, "watching the job's journal", watch(shared_from_this()));
  while (!fsm_->has_header() && !fsm_->is_taken() && core::steady_now() < deadline) {
    co_await steps_.wait(deadline - core::steady_now());
  }
  if (fsm_->is_taken()) co_return core::fail(core::Errc::exists, *taken_why_);
  if (fsm_->has_header()) co_return core::Result<>{};
  cancel();
  if (fsm_->last_failure()) co_return core::fail(*fsm_->last_failure());
  co_return core::fail(core::Errc::timeout, fmt::format("writing {}: HDFS does not acknowledge the data", path_));
}

void JobJournal::add(std::string_view line) {
  if (closing_ || !fsm_ || fsm_->is_taken()) return;
  fsm_->add(line, core::steady_now());
  news_.notify();
  times_.notify();
}

net::Async<bool> JobJournal::is_taken() {
  const auto self = shared_from_this();
  const auto next = co_await fs_.stat(journal_path(folder_, epoch_ + 1));
  if (!next) co_return core::fail(next.error());
  co_return next->has_value();
}

net::awaitable<void> JobJournal::close(core::Millis patience) {
  const auto self = shared_from_this();
  closing_ = true;
  if (!fsm_) co_return;
  fsm_->end();
  news_.notify();
  ending_.notify();
  const auto give_up = core::steady_now() + patience;
  while (!done_ && core::steady_now() < give_up) co_await steps_.wait(give_up - core::steady_now());
  open_ = false;
  cancel();
}

void JobJournal::cancel() {
  cancelled_ = true;
  news_.notify();
  times_.notify();
  ending_.notify();
}

net::awaitable<void> JobJournal::run(std::shared_ptr<JobJournal> self) {
  auto pause = kFirstPause;
  while (!self->cancelled_ && !self->done_) {
    if (auto written = co_await self->write_news(); !written) {
      if (self->logged_ != written.error().message) core::log("{}; retrying", written.error().message);
      self->logged_ = written.error().message;
      self->writer_.reset();
      self->fsm_->failed(std::move(written).error());
      self->times_.notify();
      co_await self->ending_.wait(pause);
      pause = std::min(pause * 2, kLongestPause);
      continue;
    }
    pause = kFirstPause;
    if (!self->done_ && !self->cancelled_) co_await self->news_.wait(kLong);
  }
  self->writer_.reset();
  self->done_ = true;
  self->steps_.notify();
  self->times_.notify();
}

net::awaitable<void> JobJournal::watch(std::shared_ptr<JobJournal> self) {
  while (!self->cancelled_ && !self->done_) {
    self->report_news();
    const auto at = self->fsm_->news_at();
    const auto wait = at ? std::max(*at - core::steady_now(), core::Millis(1)) : kLong;
    co_await self->times_.wait(wait);
  }
}

void JobJournal::report_news() {
  if (!open_) return;
  const auto news = fsm_->news(core::steady_now());
  if (news == JournalWriterFsm::News::caught_up) options_.listener.on_caught_up();
  const auto& failure = fsm_->last_failure();
  if (news == JournalWriterFsm::News::broken)
    return options_.listener.on_broken(failure->message + journal_remedy(*failure));
  if (news != JournalWriterFsm::News::behind) return;
  options_.listener.on_behind(failure ? failure->message
                                      : fmt::format("writing {}: HDFS has not acknowledged the data for {} s", path_,
                                                    options_.behind_after / core::Seconds(1)));
}

net::Async<> JobJournal::write_news() {
  using Action = JournalWriterFsm::Action;
  while (!cancelled_) {
    core::Result<> done;
    switch (fsm_->next()) {
      case Action::reopen:
        done = co_await reopen();
        break;
      case Action::write:
        done = co_await write_batch();
        break;
      case Action::close:
        done = co_await close_file();
        break;
      case Action::wait:
        co_return done;
      case Action::done:
        done_ = true;
        co_return done;
    }
    if (!done) co_return done;
  }
  co_return core::Result<>{};
}

net::Async<> JobJournal::write_batch() {
  if (auto written = co_await writer_->write(fsm_->batch()); !written) co_return written;
  if (auto flushed = co_await writer_->flush(); !flushed) co_return flushed;
  fsm_->acknowledged();
  steps_.notify();
  if (open_ && fsm_->durable() > 0) options_.listener.on_durable(fsm_->durable());
  report_news();
  co_return core::Result<>{};
}

net::Async<> JobJournal::close_file() {
  if (auto closed = co_await writer_->close(); !closed) co_return closed;
  writer_.reset();
  fsm_->closed();
  co_return core::Result<>{};
}

// Looks for a newer master twice: first in order not to disturb one that reads the file, and again with the lease. Only
// the second look is reliable.
net::Async<> JobJournal::reopen() {
  const auto replaced = fmt::format("another master of this job has created {}", journal_path(folder_, epoch_ + 1));
  const auto before = co_await is_taken();
  if (!before) co_return core::fail(before.error());
  if (*before) {
    taken(replaced);
    co_return core::Result<>{};
  }
  const auto recovered = co_await fs_.recover_lease(path_);
  if (!recovered) {
    if (recovered.error().code != hrpc::Errc::not_found) co_return core::fail(recovered.error());
    co_return core::fail(hrpc::Errc::not_found, fmt::format("writing {}: it was deleted", path_));
  }
  if (!*recovered) {
    co_return core::fail(hrpc::Errc::lease_conflict,
                         fmt::format("writing {}: its last block is being recovered", path_));
  }
  auto writer = co_await fs_.append(path_);
  if (!writer) co_return core::fail(writer.error());
  const auto after = co_await is_taken();
  if (!after) co_return core::fail(after.error());
  if (*after) {
    (void)co_await writer->close();
    taken(replaced);
    co_return core::Result<>{};
  }
  if (auto fits = fsm_->reopened(writer->length()); !fits) {
    co_return core::fail(std::move(fits).error().within("writing " + path_));
  }
  writer_.emplace(*std::move(writer));
  core::log("writing {} again, from byte {}", path_, writer_->length());
  co_return core::Result<>{};
}

void JobJournal::taken(std::string why) {
  fsm_->taken();
  taken_why_ = std::move(why);
  core::log("{}: this master stops writing", *taken_why_);
  steps_.notify();
  if (std::exchange(open_, false)) options_.listener.on_taken(*taken_why_);
}

}  // namespace ydl::master
