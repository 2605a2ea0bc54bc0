#include "master/journal_writer_fsm.hpp"

#include "core/assert.hpp"
#include "master/journal_errors.hpp"

#include <utility>

#include <fmt/format.h>

namespace ydl::master {

JournalWriterFsm::JournalWriterFsm(std::string_view header, core::Millis behind_after, core::Instant now)
    : behind_after_(behind_after), batch_(fmt::format("{}\n", header)), batch_since_(now) {}

void JournalWriterFsm::add(std::string_view line, core::Instant now) {
  YDL_ASSERT(!ended_ && !line.contains('\n'));
  if (queue_.empty()) queue_since_ = now;
  queue_ += line;
  queue_ += '\n';
  ++added_;
}

JournalWriterFsm::Action JournalWriterFsm::next() {
  if (taken_) return Action::done;
  if (batch_.empty() && !queue_.empty()) {
    std::swap(batch_, queue_);
    batch_since_ = queue_since_;
    batch_end_ = added_;
  }
  if (!batch_.empty()) return has_writer_ ? Action::write : Action::reopen;
  if (!ended_) return Action::wait;
  if (has_writer_) return Action::close;
  return left_open_ ? Action::reopen : Action::done;
}

void JournalWriterFsm::acknowledged() {
  acknowledged_bytes_ += batch_.size();
  durable_ = batch_end_;
  batch_.clear();
  present_ = 0;
  last_failure_.reset();
}

void JournalWriterFsm::failed(core::Error why) {
  has_writer_ = false;
  left_open_ = true;
  present_ = 0;
  last_failure_ = std::move(why);
}

core::Result<> JournalWriterFsm::reopened(std::uint64_t length) {
  if (length < acknowledged_bytes_) {
    return core::fail(core::Errc::corrupt,
                      fmt::format("the file has {} bytes, but HDFS had acknowledged {}: its DataNodes have lost data",
                                  length, acknowledged_bytes_));
  }
  if (length > acknowledged_bytes_ + batch_.size()) {
    return core::fail(core::Errc::corrupt,
                      fmt::format("the file has {} bytes, but this master has written {} at the most", length,
                                  acknowledged_bytes_ + batch_.size()));
  }
  has_writer_ = true;
  present_ = length - acknowledged_bytes_;
  return {};
}

void JournalWriterFsm::closed() {
  has_writer_ = false;
  left_open_ = false;
}

std::optional<core::Instant> JournalWriterFsm::waiting_since() const {
  if (!batch_.empty()) return batch_since_;
  if (!queue_.empty()) return queue_since_;
  return std::nullopt;
}

std::optional<JournalWriterFsm::News> JournalWriterFsm::news(core::Instant now) {
  if (taken_) return std::nullopt;
  const auto since = waiting_since();
  auto news = News::caught_up;
  if (since && now - *since >= behind_after_)
    news = last_failure_ && lasts(*last_failure_) ? News::broken : News::behind;
  if (news == std::exchange(told_, news)) return std::nullopt;
  return news;
}

std::optional<core::Instant> JournalWriterFsm::news_at() const {
  const auto since = waiting_since();
  if (taken_ || told_ != News::caught_up || !since) return std::nullopt;
  return *since + behind_after_;
}

}  // namespace ydl::master
