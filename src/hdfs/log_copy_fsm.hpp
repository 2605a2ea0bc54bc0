#pragma once

#include "core/clock.hpp"

#include <cstdint>

namespace ydl::hdfs {

// Tracks which bytes of a growing file come next in an append-only copy. Pure.
class LogCursor {
 public:
  // The offset to read from, if the file now has `size` bytes. If the file is shorter than before, the task truncated
  // it, and its content is appended to the copy from the start. (If it was truncated and has grown beyond the old size
  // since the last call, this is not noticed.)
  [[nodiscard]] std::uint64_t offset(std::uint64_t size);
  void copied(std::uint64_t bytes) { offset_ += bytes; }
  // Call it after a failed writer, with the real length of the copy. Missing bytes will be read again.
  void resume(std::uint64_t length);

  // Number of bytes that are neither in the copy nor in the file, because the task truncated its log before they were
  // stored.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  std::uint64_t start_ = 0;  // position in the copy of the file's first byte
  std::uint64_t offset_ = 0;
  std::uint64_t lost_ = 0;
};

// Decides the next action of LogCopy. Pure: sizes, times and results of I/O are arguments.
//
//            ┌───────── a failure: back to the last byte that is in the copy ────────────────┐
//            v                                                                               │
//   without a writer ──open──> with a writer: write while there is news, flush every period ─┤
//            ^                                                                               │
//            └──────────────── close, once the log has ended and all of it is flushed ───────┘
class LogCopyFsm {
 public:
  enum class Action {
    open,   // create the file, or recover it after a failed writer and append; then opened() or failed()
    write,  // write the bytes from offset() on; then wrote() or failed()
    flush,  // then flushed() or failed()
    close,  // then closed() or failed()
    wait,   // nothing to do until the log grows or ends
    done,   // the copy is complete and closed, or the log is empty
  };

  explicit LogCopyFsm(core::Millis flush_period) : flush_period_(flush_period) {}

  // `size` is the current size of the log.
  [[nodiscard]] Action next(std::uint64_t size, core::Instant now);
  [[nodiscard]] std::uint64_t offset() const { return offset_; }  // after next() returned write
  [[nodiscard]] std::uint64_t lost() const { return cursor_.lost(); }

  void opened(std::uint64_t length);  // length of the copy
  void wrote(std::uint64_t bytes) {
    cursor_.copied(bytes);
    unflushed_ = true;
  }
  void flushed(core::Instant now);
  void closed();
  // The writer failed and cannot be used. Bytes that HDFS has not acknowledged may be lost.
  void failed();

  // The log no longer grows.
  void end() { ended_ = true; }

 private:
  core::Millis flush_period_;
  LogCursor cursor_;
  std::uint64_t offset_ = 0;
  core::Instant flushed_at_{};
  bool has_writer_ = false;
  // a writer failed before a flush: the length of the copy is unknown until it is opened again
  bool in_doubt_ = false;
  bool left_open_ = false;  // a writer failed: in HDFS the file stays open until another writer closes it
  bool unflushed_ = false;
  bool ended_ = false;
};

}  // namespace ydl::hdfs
