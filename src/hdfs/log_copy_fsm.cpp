#include "hdfs/log_copy_fsm.hpp"

namespace ydl::hdfs {

std::uint64_t LogCursor::offset(std::uint64_t size) {
  if (size < offset_) {
    start_ += offset_;
    offset_ = 0;
  }
  return offset_;
}

void LogCursor::resume(std::uint64_t length) {
  if (length < start_) {
    lost_ += start_ - length;
    start_ = length;
  }
  offset_ = length - start_;
}

LogCopyFsm::Action LogCopyFsm::next(std::uint64_t size, core::Instant now) {
  offset_ = cursor_.offset(size);
  if (in_doubt_) return Action::open;
  if (offset_ < size) {
    if (!has_writer_) return Action::open;
    return unflushed_ && now - flushed_at_ >= flush_period_ ? Action::flush : Action::write;
  }
  if (unflushed_) return Action::flush;
  if (!ended_) return Action::wait;
  if (has_writer_) return Action::close;
  return left_open_ ? Action::open : Action::done;
}

void LogCopyFsm::opened(std::uint64_t length) {
  has_writer_ = true;
  in_doubt_ = false;
  cursor_.resume(length);
}

void LogCopyFsm::flushed(core::Instant now) {
  unflushed_ = false;
  flushed_at_ = now;
}

void LogCopyFsm::closed() {
  has_writer_ = false;
  left_open_ = false;
}

void LogCopyFsm::failed() {
  left_open_ = left_open_ || has_writer_;
  in_doubt_ = in_doubt_ || unflushed_;
  has_writer_ = false;
  unflushed_ = false;
}

}  // namespace ydl::hdfs
