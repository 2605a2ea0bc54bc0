#pragma once

#include "client/follow_screen.hpp"
#include "client/log_reader.hpp"
#include "client/shown_tasks.hpp"
#include "client/task_output.hpp"
#include "jobs/job_folder.hpp"

#include <deque>
#include <optional>
#include <string>

namespace ydl::client {

// Reads what the tasks of a job write and shows what the user wants to see of it: the bytes of the only task, or the
// lines of some tasks.
class FollowedLines {
 public:
  // The screen outlives this. `from`: last_lines for a job that has run for a while when a terminal begins to show it.
  FollowedLines(const jobs::JobFolder& folder, ShownTasks shown, TaskOutput::From from, FollowScreen& screen);

  [[nodiscard]] const ShownTasks& shown() const { return shown_; }
  // Whether the only task owns the terminal, which must then be looked at more often.
  [[nodiscard]] bool is_unchanged() const { return output_.has_value(); }

  // True: there are more.
  bool show_new();
  // At the end: lines that have no newline, too.
  void show_rest();

 private:
  bool skip_earlier();

  ShownTasks shown_;
  FollowScreen& screen_;
  LogReader logs_;
  std::string job_;
  std::optional<TaskOutput> output_;  // of a job of one task, on a terminal
  bool skips_;                        // the lines that were written before, but for the last ones
  std::deque<ui::LogLine> earlier_;
};

}  // namespace ydl::client
