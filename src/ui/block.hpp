#pragma once

#include "ui/frame.hpp"
#include "ui/line.hpp"
#include "ui/model.hpp"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ydl::ui {

// Which tasks said something lately. Where not all tasks fit the screen, those come first; "lately" is long, so that
// the choice does not change with every line.
class Talkers {
 public:
  void note(const JobView& job, core::Instant now);
  [[nodiscard]] bool spoke_lately(const core::TaskId& task, core::Instant now) const;

 private:
  struct Said {
    std::string line;
    std::optional<double> progress;
    std::optional<core::Instant> at;
  };
  std::unordered_map<core::TaskId, Said> said_;
};

// "mnist-7f3k  running  2 of 2 tasks  12 s".
[[nodiscard]] Line header_line(const JobView& job, const Frame& frame, Charset charset = Charset::unicode);

// A line per task, in the job's order where all fit `max_lines`; else the interesting ones first and, last, how many
// others there are. A line may be wider than the screen: the caller cuts it.
[[nodiscard]] std::vector<Line> task_lines(const JobView& job, const Frame& frame, const Style& style,
                                           const Talkers& talkers, int max_lines);

// The same once the job has ended: how long each task ran and the last line that it wrote, or why it did not succeed.
[[nodiscard]] std::vector<Line> final_task_lines(const JobView& job, const Frame& frame, const Style& style,
                                                 const Talkers& talkers, int max_lines);

// "✓ mnist-7f3k succeeded in 41 s    logs: ydl logs mnist-7f3k", and where the results are.
[[nodiscard]] std::vector<Line> final_lines(const JobView& job, const Frame& frame, const Style& style);

}  // namespace ydl::ui
