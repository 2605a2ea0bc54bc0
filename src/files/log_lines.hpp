#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ydl::files {

// The progress that a task reports with a line such as "::progress 0.25 epoch 3 of 12".
struct Progress {
  double fraction = 0;  // 0 to 1
  std::string text;

  bool operator==(const Progress&) const = default;
};

// Nothing for other lines, and if the fraction is not a number from 0 to 1.
[[nodiscard]] std::optional<Progress> parse_progress(std::string_view line);

// Whether this line requests that the task's files are saved now: "::checkpoint", optionally followed by any words.
[[nodiscard]] bool is_checkpoint(std::string_view line);

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
  [[nodiscard]] const std::optional<Progress>& progress() const { return progress_; }
  // The number of "::checkpoint" lines so far.
  [[nodiscard]] std::uint64_t checkpoints() const { return checkpoints_; }

 private:
  void end_line();

  std::string line_;  // the current line, not complete yet
  std::string last_;  // the last complete line that was not blank
  std::optional<Progress> progress_;
  std::uint64_t checkpoints_ = 0;
};

}  // namespace ydl::files
