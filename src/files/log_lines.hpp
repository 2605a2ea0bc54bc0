#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ydl::files {

// What a task says about how far it is: a line "::progress 0.25 epoch 3 of 12".
struct Progress {
  double fraction = 0;  // 0 to 1
  std::string text;

  bool operator==(const Progress&) const = default;
};

// Nothing for any other line, and for a fraction that is not a number from 0 to 1.
[[nodiscard]] std::optional<Progress> parse_progress(std::string_view line);

// Whether a task asks with this line that what it has written is saved now: "::checkpoint", with any words after it.
[[nodiscard]] bool is_checkpoint(std::string_view line);

// A line as a terminal would show it: no colours or cursor movements, no control characters, valid UTF-8.
[[nodiscard]] std::string plain_text(std::string_view line);

// Follows the bytes of a log and knows its last line and the latest progress. A carriage return ends a line as a
// newline does, so that of a progress bar the newest state counts. A line's first 8 KiB count, the rest is dropped.
class LogLines {
 public:
  static constexpr std::size_t kLongestLine = 8192;

  void feed(std::string_view bytes);
  // Forgets the line begun: what follows comes from another file.
  void restart() { line_.clear(); }

  // The last line with something in it, complete or not; "" when there was none.
  [[nodiscard]] std::string last_line() const;
  [[nodiscard]] const std::optional<Progress>& progress() const { return progress_; }
  // How many lines asked for a save so far.
  [[nodiscard]] std::uint64_t checkpoints() const { return checkpoints_; }

 private:
  void end_line();

  std::string line_;  // as far as it came
  std::string last_;  // the last complete one that was not blank
  std::optional<Progress> progress_;
  std::uint64_t checkpoints_ = 0;
};

}  // namespace ydl::files
