#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ydl::master {

// Decides what the writer of a journal file does next, and which bytes are missing in the file. Pure: results of I/O
// and the time are arguments.
//
//       ┌──────────── a failure: the unacknowledged batch is kept ─────────────────────────┐
//       v                                                                                  │
//   without a writer ──reopen──> with a writer: write waiting lines as one batch, flush ──┤
//       ^                                                                                  │
//       └──────────── close, after end() and once everything is acknowledged ──────────────┘
//
// The content of the file is known: the header and then the lines in order. So its length after a failure shows which
// bytes are in it, and writing continues at exactly that byte, even in the middle of a line.
class JournalWriterFsm {
 public:
  enum class Action {
    reopen,  // recover the file and append to it; then reopened() or failed() or taken()
    write,   // write batch() and flush; then acknowledged() or failed()
    close,   // then closed() or failed()
    wait,    // nothing to do until add() or end()
    done,    // the file is closed, or another master has it
  };
  enum class News {
    behind,     // a line has waited for `behind_after`
    broken,     // the same, and the last failure needs action by a user (journal_errors.hpp)
    caught_up,  // after one of these: no line waits that long any more
  };

  // Starts with a writer of a new, empty file. `header` is a line without its line feed.
  JournalWriterFsm(std::string_view header, core::Millis behind_after, core::Instant now);

  void add(std::string_view line, core::Instant now);
  // No more lines follow: close the file after the last one.
  void end() { ended_ = true; }

  [[nodiscard]] Action next();
  // After next() returned write: valid until acknowledged() or failed().
  [[nodiscard]] std::string_view batch() const { return std::string_view(batch_).substr(present_); }
  void acknowledged();
  void failed(core::Error why);
  // There is a new writer, and the file has `length` bytes. Errors: corrupt, if the file cannot be this master's or has
  // lost acknowledged data; then there is no writer.
  [[nodiscard]] core::Result<> reopened(std::uint64_t length);
  void closed();
  void taken() { taken_ = true; }

  [[nodiscard]] bool is_taken() const { return taken_; }
  [[nodiscard]] bool has_header() const { return acknowledged_bytes_ > 0; }
  [[nodiscard]] std::uint64_t added() const { return added_; }
  [[nodiscard]] std::uint64_t durable() const { return durable_; }

  // A change to report; each change is returned once.
  [[nodiscard]] std::optional<News> news(core::Instant now);
  // When news() may return a change without another event.
  [[nodiscard]] std::optional<core::Instant> news_at() const;
  [[nodiscard]] const std::optional<core::Error>& last_failure() const { return last_failure_; }

 private:
  // When the oldest unacknowledged line was added.
  [[nodiscard]] std::optional<core::Instant> waiting_since() const;

  core::Millis behind_after_;
  std::string batch_;  // the data being written; it does not change until it is acknowledged
  core::Instant batch_since_;
  std::size_t present_ = 0;  // bytes of the batch that a failed writer left in the file
  std::string queue_;        // the lines after the batch
  core::Instant queue_since_{};
  std::uint64_t batch_end_ = 0;  // the number of lines up to the end of the batch
  std::uint64_t added_ = 0;
  std::uint64_t durable_ = 0;
  std::uint64_t acknowledged_bytes_ = 0;
  bool has_writer_ = true;
  bool left_open_ = false;  // a writer failed, so the file is still open for HDFS until another writer closes it
  bool ended_ = false;
  bool taken_ = false;
  News told_ = News::caught_up;
  std::optional<core::Error> last_failure_;  // since the last acknowledgement
};

}  // namespace ydl::master
