#pragma once

#include "core/clock.hpp"

#include <cstdint>

namespace ydl::hdfs {

// Which bytes of a growing file come next in a copy that can only be appended to. Pure.
class LogCursor {
 public:
  // Where to read on, now that the file has `size` bytes. One that is shorter than what was read was cut by its task:
  // what it holds now goes behind what was copied. (Cut and grown beyond that between two looks, it goes unnoticed.)
  [[nodiscard]] std::uint64_t offset(std::uint64_t size);
  void copied(std::uint64_t bytes) { offset_ += bytes; }
  // The copy turned out to have `length` bytes, after a writer failed: what it lacks is read again.
  void resume(std::uint64_t length);

  // Bytes that neither the copy nor the file has: the task cut its log before they were safe.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  std::uint64_t start_ = 0;  // where in the copy the file's first byte is
  std::uint64_t offset_ = 0;
  std::uint64_t lost_ = 0;
};

// What the copy of a log does next. Pure: sizes, time and results of the I/O are arguments.
//
//            ┌───────── a failure: back to the last byte that is in the copy ────────────────┐
//            v                                                                               │
//   without a writer ──open──> with a writer: write while there is news, flush every period ─┤
//            ^                                                                               │
//            └──────────────── close, once the log has ended and all of it is flushed ───────┘
class LogCopyFsm {
 public:
  enum class Action {
    open,   // make the file, or recover and append to the one that a failed writer left; then opened() or failed()
    write,  // from offset(); then wrote() or failed()
    flush,  // then flushed() or failed()
    close,  // then closed() or failed()
    wait,   // nothing to do until the log grows or ends
    done,   // everything is in the closed copy, or nothing was ever written
  };

  explicit LogCopyFsm(core::Millis flush_period) : flush_period_(flush_period) {}

  // `size` is that of the log now.
  [[nodiscard]] Action next(std::uint64_t size, core::Instant now);
  [[nodiscard]] std::uint64_t offset() const { return offset_; }  // after next() returned write
  [[nodiscard]] std::uint64_t lost() const { return cursor_.lost(); }

  void opened(std::uint64_t length);  // of the copy
  void wrote(std::uint64_t bytes) {
    cursor_.copied(bytes);
    unflushed_ = true;
  }
  void flushed(core::Instant now);
  void closed();
  // The writer is of no use any more. What it took and HDFS has not acknowledged may be gone.
  void failed();

  // The log grows no more.
  void end() { ended_ = true; }

 private:
  core::Millis flush_period_;
  LogCursor cursor_;
  std::uint64_t offset_ = 0;
  core::Instant flushed_at_{};
  bool has_writer_ = false;
  bool in_doubt_ = false;   // a writer failed before its last bytes were flushed: only HDFS knows which of them it has
  bool left_open_ = false;  // a writer failed: the file stays open for HDFS until another one has closed it
  bool unflushed_ = false;
  bool ended_ = false;
};

}  // namespace ydl::hdfs
