#pragma once

#include "client/follow_screen.hpp"
#include "client/log_merge.hpp"
#include "client/message_filter.hpp"
#include "client/shown_tasks.hpp"
#include "jobs/job_folder.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace ydl::client {

// Reads what the tasks of a job write and shows what the user wants to see of it: the bytes of the only task, or the
// lines of some tasks.
class FollowedLines {
 public:
  // Of what was written before: everything, or the last lines, for a terminal that begins to show a job that runs.
  enum class From { start, last_lines };

  // The screen outlives this.
  FollowedLines(const jobs::JobFolder& folder, ShownTasks shown, From from, FollowScreen& screen);

  [[nodiscard]] const ShownTasks& shown() const { return shown_; }
  // Whether the only task owns the terminal, which must then be looked at more often.
  [[nodiscard]] bool is_unchanged() const { return is_unchanged_; }
  // Whether the times of lines matter for what show_new() shows next.
  [[nodiscard]] bool needs_times() const { return skips_; }

  // Shows at most 256 KiB, so that the caller can do other things in between. True: there are more.
  bool show_new();
  // At the end: lines that have no newline, too.
  void show_rest();

 private:
  struct Earlier {
    const LogFile& file;
    std::string text;
    bool ends_line;
  };

  // True: there are more.
  bool read(const LogMerge::Take& take, LogMerge::LastLine last_line);
  bool skip_earlier();
  void show(const LogFile& file, std::string_view text, bool ends_line);
  // Bytes of one stream are collected and shown together.
  void show_bytes();
  [[nodiscard]] LogMerge::LastLine last_line() const;

  ShownTasks shown_;
  FollowScreen& screen_;
  LogMerge logs_;
  std::string job_;
  bool is_unchanged_;
  std::map<const LogFile*, MessageFilter> filters_;  // of the bytes that are shown unchanged
  std::string stream_;                               // of bytes_
  std::string bytes_;                                // not shown yet
  bool skips_;                                       // the lines that were written before, but for the last ones
  std::deque<Earlier> earlier_;
  std::uint64_t skipped_ = 0;  // bytes
};

}  // namespace ydl::client
