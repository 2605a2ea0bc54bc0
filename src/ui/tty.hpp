#pragma once

#include "ui/block.hpp"
#include "ui/display.hpp"
#include "ui/line_limit.hpp"

#include <cstdint>
#include <set>
#include <vector>

namespace ydl::ui {

// One block at the bottom of the terminal, redrawn in place: the job's line, then one per task. What is to stay (log
// lines, retries, failures, notes) scrolls above it once, whole. The only task of a job owns the terminal as soon as it
// writes: from then on there is no block, and its bytes are not changed.
//
// A redraw is one write: cursor up to the block's first row, what scrolls, the block row by row, clear what is left of
// the old one. The cursor rests below the block, so that a process that dies leaves a usable terminal. Automatic
// wrapping is off inside that write only: where a terminal's idea of a character's width is not ours, a row is cut and
// the block does not drift.
class TtyDisplay final : public Display {
 public:
  explicit TtyDisplay(DisplayOptions options);

  [[nodiscard]] std::string begin(const JobView& job, const Frame& frame) override;
  [[nodiscard]] std::string update(const JobView& job, const Frame& frame) override;
  [[nodiscard]] std::string event(const EventView& event, const Frame& frame) override;
  [[nodiscard]] std::string log(const LogLine& line, const Frame& frame) override;
  [[nodiscard]] std::string failure(const FailureView& failure, const Frame& frame) override;
  [[nodiscard]] std::string finish(const JobView& job, const Frame& frame) override;
  [[nodiscard]] std::string output(std::string_view bytes, const Frame& frame) override;
  [[nodiscard]] std::string footer(const Footer& wanted, const Frame& frame) override;
  [[nodiscard]] std::string refresh(const Frame& frame) override;
  [[nodiscard]] std::optional<core::Millis> next_refresh(core::Instant now) const override;
  [[nodiscard]] std::string abort(const Frame& frame) override;

 private:
  [[nodiscard]] std::string draw_if_due(const Frame& frame);
  [[nodiscard]] std::string draw(const Frame& frame);
  [[nodiscard]] std::vector<Line> block(const Frame& frame) const;
  // Removes the block, and writes what scrolls above it.
  [[nodiscard]] std::string take_block_away(const Size& size);
  [[nodiscard]] int rows_of_block(const Size& size) const;
  [[nodiscard]] std::string to_block_start(const Size& size) const;
  void scroll(const Line& line);
  void scroll_left_out(std::int64_t lines);

  DisplayOptions options_;
  std::optional<JobView> job_;  // while it is followed
  Talkers talkers_;
  EventFilter events_;
  std::optional<Line> failed_;  // that the only task failed, until it is known what follows
  std::string scrolling_;       // what goes above the block with the next redraw
  bool changed_ = false;        // since the last redraw
  Footer footer_;
  LineLimit limit_;
  std::set<core::TaskId> left_out_of_;  // the tasks whose lines were left out

  bool has_output_ = false;   // the only task of the job has written something
  bool has_escape_ = false;   // and an escape sequence was in it
  bool at_row_start_ = true;  // the cursor stands where a row of ours may begin
  std::optional<core::Instant> last_draw_;

  // The block on the screen.
  std::vector<std::string> drawn_;
  std::vector<int> drawn_widths_;
  Size drawn_size_;
};

}  // namespace ydl::ui
