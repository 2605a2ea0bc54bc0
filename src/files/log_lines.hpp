#pragma once

#include "core/metrics.hpp"
#include "files/progress_line.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ydl::files {

// Whether this line requests that the task's files are saved now: "::checkpoint", optionally followed by any words.
[[nodiscard]] bool is_checkpoint(std::string_view line);

// Whether ydl reads this line of a task, so that displays of running tasks leave it out: progress, metrics or a
// checkpoint.
[[nodiscard]] bool is_for_ydl(std::string_view line);

// The visible text of a line, as valid UTF-8: without colours, cursor movements and other control characters.
[[nodiscard]] std::string plain_text(std::string_view line);

// Reads the bytes of a log as they arrive and keeps its last line and the latest progress. A carriage return ends a
// line like a newline, so that a progress bar is shown in its latest state. Only the first 8 KiB of a line are kept.
class LogLines {
 public:
  static constexpr std::size_t kLongestLine = 8192;

  void feed(std::string_view bytes);
  // Drops an incomplete line, because the next bytes come from another file.
  void restart() { line_.clear(); }

  // The last line that is not blank, complete or not; "" if there is none.
  [[nodiscard]] std::string last_line() const;
  // The latest that the task wrote for ydl; of a task that never did, the bar that its program prints.
  [[nodiscard]] std::optional<Progress> progress() const { return progress_ ? progress_ : bars_.latest(line_); }
  // Whether the task itself writes how far it is, so that bars of its programs do not count.
  [[nodiscard]] bool reports_progress() const { return progress_.has_value(); }
  // The first line of its progress that cannot be understood; "" while there is none.
  [[nodiscard]] const std::string& malformed_progress() const { return malformed_progress_; }
  // The latest values of "::metric" lines, and the first of these lines that cannot be understood.
  [[nodiscard]] const std::optional<core::Metrics>& metrics() const { return metrics_; }
  [[nodiscard]] const std::string& malformed_metric() const { return malformed_metric_; }
  // The number of "::checkpoint" lines so far.
  [[nodiscard]] std::uint64_t checkpoints() const { return checkpoints_; }

 private:
  void end_line();
  void read_metric();

  std::string line_;  // the current line, not complete yet
  std::string last_;  // the last complete line that was not blank
  std::optional<Progress> progress_;
  BarReader bars_;
  std::string malformed_progress_;
  std::optional<core::Metrics> metrics_;
  std::string malformed_metric_;
  std::uint64_t checkpoints_ = 0;
};

}  // namespace ydl::files
