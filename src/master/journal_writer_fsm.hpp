#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ydl::master {

// What the writer of a journal file does next, and which bytes the file lacks. Pure: results of the I/O and the time
// are arguments.
//
//       ┌──────────── a failure: the batch that was not acknowledged is kept ──────────────┐
//       v                                                                                  │
//   without a writer ──reopen──> with a writer: write all that waits as one batch, flush ──┤
//       ^                                                                                  │
//       └──────────── close, after end() and once everything is acknowledged ──────────────┘
//
// The file's bytes are known: the header and then the lines in their order. So its length after a failure says which
// bytes it has, and writing goes on at exactly that byte, be it in the middle of a line.
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
    broken,     // the same, and the last failure does not pass by itself (journal_errors.hpp)
    caught_up,  // after one of them: no line waits that long any more
  };

  // With a writer of the new file, to which nothing has been written. `header` is a line without its end.
  JournalWriterFsm(std::string_view header, core::Millis behind_after, core::Instant now);

  void add(std::string_view line, core::Instant now);
  // No line is added any more: close the file after the last one.
  void end() { ended_ = true; }

  [[nodiscard]] Action next();
  // After next() returned write: valid until acknowledged() or failed().
  [[nodiscard]] std::string_view batch() const { return std::string_view(batch_).substr(present_); }
  void acknowledged();
  void failed(core::Error why);
  // A writer goes on behind the `length` bytes that the file has. Errors: corrupt, the file cannot be ours or has lost
  // what HDFS had acknowledged; there is no writer then.
  [[nodiscard]] core::Result<> reopened(std::uint64_t length);
  void closed();
  void taken() { taken_ = true; }

  [[nodiscard]] bool is_taken() const { return taken_; }
  [[nodiscard]] bool has_header() const { return acknowledged_bytes_ > 0; }
  [[nodiscard]] std::uint64_t added() const { return added_; }
  [[nodiscard]] std::uint64_t durable() const { return durable_; }

  // A change that is to be told, once.
  [[nodiscard]] std::optional<News> news(core::Instant now);
  // When news() may have something without another event.
  [[nodiscard]] std::optional<core::Instant> news_at() const;
  [[nodiscard]] const std::optional<core::Error>& last_failure() const { return last_failure_; }

 private:
  // When the oldest line was added that is not acknowledged.
  [[nodiscard]] std::optional<core::Instant> waiting_since() const;

  core::Millis behind_after_;
  std::string batch_;  // what is being written; it does not change before it is acknowledged
  core::Instant batch_since_;
  std::size_t present_ = 0;  // bytes of the batch that a failed writer left in the file
  std::string queue_;        // what comes after the batch
  core::Instant queue_since_{};
  std::uint64_t batch_end_ = 0;  // lines up to the end of the batch
  std::uint64_t added_ = 0;
  std::uint64_t durable_ = 0;
  std::uint64_t acknowledged_bytes_ = 0;
  bool has_writer_ = true;
  bool left_open_ = false;  // a writer failed: the file stays open for HDFS until another one has closed it
  bool ended_ = false;
  bool taken_ = false;
  News told_ = News::caught_up;
  std::optional<core::Error> last_failure_;  // since something was acknowledged
};

}  // namespace ydl::master
