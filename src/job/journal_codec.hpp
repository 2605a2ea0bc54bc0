#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"
#include "job/event_codec.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::job {

// The journal of a job consists of the files journal/1, journal/2, … of its folder, one for each master that the job
// has had. A file has a header line and then one event per line (event_codec.hpp); each line ends with a line feed:
//   {"v":1,"journal":2,"began":1763481600000}
//   {"v":1,"at":1250,"event":"placed",…}
struct JournalHeader {
  int number = 0;          // of the file
  core::WallTime began{};  // when the job began, the same in all files; `at` of events counts from it
};

// Incremented when the header changes its meaning; events have their own version.
inline constexpr int kJournalVersion = 1;
// A limit for corrupt files: no event comes near it.
inline constexpr std::size_t kLongestJournalLine = std::size_t{4} << 20U;

// The result has no line feed at its end.
[[nodiscard]] std::string encode_header(const JournalHeader& header);

// Reads one file of a journal, in pieces of any size. A master that is killed, or that loses the file to the next
// master, may leave an incomplete line at the end. The reader ignores all bytes after the last line feed, even if they
// could be parsed, so that every reader sees the same events. A file without a complete header line has no events.
class JournalFileReader {
 public:
  explicit JournalFileReader(int number) : number_(number) {}

  // Takes the next bytes and calls `on_event` for each complete event.
  // Errors: corrupt, refused (another version), both with file and line: "journal/2, line 17: …".
  [[nodiscard]] core::Result<> feed(std::string_view bytes, const std::function<void(TimedEvent)>& on_event);

  // Nothing until the header line is complete.
  [[nodiscard]] const std::optional<JournalHeader>& header() const { return header_; }
  // The number of bytes after the last line feed so far.
  [[nodiscard]] std::size_t torn_bytes() const { return rest_.size(); }

 private:
  [[nodiscard]] core::Result<> take(std::string_view line, const std::function<void(TimedEvent)>& on_event);
  [[nodiscard]] core::Result<> take_header(std::string_view line);
  [[nodiscard]] core::Error at_line(core::Error error) const;

  int number_;
  std::size_t line_ = 0;
  std::string rest_;
  std::optional<JournalHeader> header_;
};

struct JournalFile {
  std::optional<JournalHeader> header;
  std::vector<TimedEvent> events;
};

// Reads a whole file. Errors: those of JournalFileReader::feed.
[[nodiscard]] core::Result<JournalFile> read_journal_file(std::string_view text, int number);

}  // namespace ydl::job
