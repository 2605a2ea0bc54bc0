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

// The journal of a job: the files journal/1, journal/2, … of its folder, one for each master that the job has had. A
// file has a header and then one event per line (event_codec.hpp), each line with its end:
//   {"v":1,"journal":2,"began":1763481600000}
//   {"v":1,"at":1250,"event":"placed",…}
struct JournalHeader {
  int number = 0;          // of the file
  core::WallTime began{};  // when the job began, from which `at` counts: the same in all files
};

// Rises when the header changes its meaning; events have a version of their own.
inline constexpr int kJournalVersion = 1;
// A longer line is an error.
inline constexpr std::size_t kLongestJournalLine = std::size_t{4} << 20U;

// Without the end of the line.
[[nodiscard]] std::string encode_header(const JournalHeader& header);

// Reads one file of a journal, in pieces of any size. A master that ends suddenly, or loses the file to the next one,
// may leave a part of a line at the end: bytes behind the last end of a line do not count, even where they could be
// read, so every reader sees the same events. A file without a whole header line has no events.
class JournalFileReader {
 public:
  explicit JournalFileReader(int number) : number_(number) {}

  // The next bytes; `on_event` is called for each event that is complete.
  // Errors: corrupt, refused (another version), both with file and line: "journal/2, line 17: …".
  [[nodiscard]] core::Result<> feed(std::string_view bytes, const std::function<void(TimedEvent)>& on_event);

  // Nothing while the header line is not complete.
  [[nodiscard]] const std::optional<JournalHeader>& header() const { return header_; }
  // Bytes so far behind the last end of a line.
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

// A whole file. Errors: those of JournalFileReader::feed.
[[nodiscard]] core::Result<JournalFile> read_journal_file(std::string_view text, int number);

}  // namespace ydl::job
