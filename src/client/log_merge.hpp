#pragma once

#include "client/log_clock.hpp"
#include "client/log_files.hpp"
#include "core/clock.hpp"

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace ydl::client {

// A line of a log, or a part of one.
struct LogPart {
  const LogFile& file;
  std::string_view text;               // without its newline
  bool ends_line = true;               // false: the last line has no end yet, or the line is too long to be given whole
  std::optional<core::WallTime> time;  // when the line was complete, to about a second; nothing: it is not known
};

// The lines of a job's logs in the order of their times, as the logs' indexes have them. What has the same time
// comes task by task, standard output first; so does a log without an index, before all others. Reads the
// files in pieces: no log is in memory as a whole, and one file is open at a time.
class LogMerge {
 public:
  struct Options {
    LogFilter filter = {};
    std::optional<core::WallTime> since = {};  // only lines of this time and later, and those whose time is not known
    std::optional<std::uint64_t> tail = {};    // only the last lines of each log
    std::string grep = {};                     // only lines with this in them
  };
  // These three say where to begin; what is written after the first read() is given in any case, but for `grep`.

  enum class LastLine { wait, give };  // one that has no end yet

  LogMerge(jobs::JobFolder folder, Options options) : folder_(std::move(folder)), options_(std::move(options)) {}

  // False: that is enough, read() returns. The next call goes on behind the part that was taken.
  using Take = std::function<bool(const LogPart&)>;
  // All lines that have been added since the last call. `now`: the time of those that the index has not reached;
  // nothing, and in the first call: it stays unknown.
  void read(const Take& take, LastLine last_line, std::optional<core::WallTime> now = std::nullopt);

  // The attempts of which there are logs, whatever the filter says of attempts.
  [[nodiscard]] const std::set<int>& attempts() const { return attempts_; }
  // The bytes before the lines with which `since` and `tail` begin.
  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }
  // How many logs have lines and no index.
  [[nodiscard]] int without_times() const;

 private:
  struct Key {  // the order of logs, where times do not tell
    core::TaskId task;
    int attempt;
    bool is_stderr;
    auto operator<=>(const Key&) const = default;
  };
  struct File {
    LogFile log;
    LogClock clock;
    std::uint64_t offset = 0;  // the beginning of the first line that was not given
    std::uint64_t size = 0;
    core::WallTime latest = core::WallTime::min();  // the time of the last entry that was passed
  };
  // The bytes of a log up to `end` have this time.
  struct Segment {
    std::uint64_t end = 0;
    std::optional<core::WallTime> time;
    core::WallTime order;
  };

  void discover();
  [[nodiscard]] std::uint64_t first_offset(File& file) const;
  [[nodiscard]] static Segment next_segment(File& file, std::optional<core::WallTime> now);
  // False: the taker has enough.
  [[nodiscard]] bool give(File& file, const Segment& segment, const Take& take, LastLine last_line);
  [[nodiscard]] bool give_line(const Take& take, const LogPart& part) const;

  jobs::JobFolder folder_;
  Options options_;
  std::map<Key, File> files_;
  std::set<int> attempts_;
  std::uint64_t skipped_ = 0;
  bool has_begun_ = false;
  bool has_more_ = false;  // the taker had enough before everything was given
};

}  // namespace ydl::client
