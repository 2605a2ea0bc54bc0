#include "ui/tty.hpp"

#include "ui/text.hpp"
#include "ui/words.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace ydl::ui {
namespace {

constexpr core::Millis kBetweenDraws{100};
constexpr core::Millis kClockTick{500};  // twice a second, so that no second of the clocks is skipped
constexpr int kRowsForOthers = 4;        // the job's line, the line that counts the rest, the cursor's row, one spare

constexpr std::string_view kClearBelow = "\x1b[J";
constexpr std::string_view kClearRestOfRow = "\x1b[K";
constexpr std::string_view kClearRowAbove = "\x1b[1A\x1b[K";  // from the first column of the row below it
constexpr std::string_view kWrapOff = "\x1b[?7l";
constexpr std::string_view kWrapOn = "\x1b[?7h";
constexpr std::string_view kNewRow = "\r\n";
constexpr std::string_view kPlainText = "\x1b[0m";

// The events that stay on the screen; the block shows the others.
bool matters(const EventView& event) {
  using enum core::RecordKind;
  static constexpr std::array kKinds{task_failed,  task_lost,    task_retry,    job_restarting,
                                     job_stopping, host_avoided, host_forgiven, note};
  return std::ranges::any_of(kKinds, [&](core::RecordKind kind) { return event.kind == kind; });
}

// "1,234 lines".
std::string grouped(std::int64_t count, std::string_view noun) {
  auto digits = std::to_string(count);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return fmt::format("{} {}{}", digits, noun, count == 1 ? "" : "s");
}

Tone event_tone(const EventView& event) {
  if (event.kind == core::RecordKind::task_failed || event.kind == core::RecordKind::task_lost) return Tone::red;
  return event.kind == core::RecordKind::note ? Tone::plain : Tone::yellow;
}

}  // namespace

TtyDisplay::TtyDisplay(DisplayOptions options) : options_(std::move(options)) {}

std::string TtyDisplay::begin(const JobView& job, const Frame& frame) {
  // The output of one task on this machine needs no title.
  if (!is_alone(job) || job.where != kThisMachine) scroll(begin_line(job));
  job_ = job;
  talkers_.note(job, frame.steady);
  return draw(frame);
}

std::string TtyDisplay::update(const JobView& job, const Frame& frame) {
  job_ = job;
  talkers_.note(job, frame.steady);
  changed_ = true;
  return draw_if_due(frame);
}

std::string TtyDisplay::event(const EventView& event, const Frame& frame) {
  if (!events_.is_new(event) || !matters(event)) return {};
  const auto id = job_ ? job_->id : std::string();
  auto line = Line(clock_time(event.time, options_.utc_offset) + " ", Tone::dim)
                  .add(event_sentence(event, id), event_tone(event));
  // The summary of a job of one task says the same, unless the task is tried again.
  if (event.kind == core::RecordKind::task_failed && job_ && is_alone(*job_)) {
    failed_ = std::move(line);
    return {};
  }
  if (failed_ && event.kind == core::RecordKind::job_stopping) return {};
  if (failed_) scroll(*std::exchange(failed_, std::nullopt));
  scroll(line);
  return draw_if_due(frame);
}

std::string TtyDisplay::log(const LogLine& line, const Frame& frame) {
  if (!limit_.admits(frame.steady)) {
    left_out_of_.insert(line.task);
    return draw_if_due(frame);
  }
  scroll_left_out(limit_.take_left_out(frame.steady));
  const auto* bar = options_.style.charset == Charset::unicode ? "│" : "|";
  scroll(Line(fmt::format("{} {} ", line.task.str(), bar), Tone::dim).add(line.text));
  return draw_if_due(frame);
}

std::string TtyDisplay::output(std::string_view bytes, const Frame& frame) {
  if (bytes.empty()) return {};
  auto out = take_block_away(frame.size);
  out += bytes;
  has_output_ = true;
  has_escape_ = has_escape_ || bytes.contains('\x1b');
  at_row_start_ = bytes.ends_with('\n');
  if (at_row_start_ && !footer_.empty()) out += draw(frame);
  return out;
}

// Not later, as other changes: someone has pressed a key and looks for the answer. The terminal may have shown that key
// where the cursor stood.
std::string TtyDisplay::footer(const Footer& wanted, const Frame& frame) {
  footer_ = wanted;
  if (footer_.empty()) return draw(frame);
  const auto* const start = std::exchange(at_row_start_, true) ? "\r" : "\r\n";
  return start + draw(frame);
}

std::string TtyDisplay::failure(const FailureView& failure, const Frame& frame) {
  if (has_output_) return {};  // its last lines stand above, and the summary has the reason
  for (const auto& line : failure_lines(failure)) scroll(line);
  return draw_if_due(frame);
}

std::string TtyDisplay::refresh(const Frame& frame) {
  scroll_left_out(limit_.take_left_out(frame.steady));
  return draw_if_due(frame);
}

// The tasks as they ended stay on the screen; the job's line gives way to the summary.
std::string TtyDisplay::finish(const JobView& job, const Frame& frame) {
  footer_.clear();
  if (failed_ && job.state != core::JobState::failed) scroll(*failed_);
  scroll_left_out(limit_.take_rest());
  auto out = take_block_away(frame.size);
  if (!std::exchange(at_row_start_, true)) out += kNewRow;
  if (has_escape_ && options_.style.colour == Colour::on) out += kPlainText;
  if (!is_alone(job)) {
    const int room = frame.size.rows - kRowsForOthers;
    for (const auto& line : final_task_lines(job, frame, options_.style, talkers_, std::max(1, room))) {
      out.append(line.cut_to(frame.size.columns, options_.style)).append(kNewRow);
    }
  }
  for (const auto& line : final_lines(job, frame, options_.style))
    out.append(line.whole(options_.style)).append(kNewRow);
  job_.reset();
  return out;
}

std::string TtyDisplay::abort(const Frame& frame) {
  last_draw_.reset();
  auto out = take_block_away(frame.size);
  return out.append(std::exchange(at_row_start_, true) ? "\r" : kNewRow).append(kClearBelow);
}

std::optional<core::Millis> TtyDisplay::next_refresh(core::Instant now) const {
  const bool waiting = changed_ || !scrolling_.empty();
  if (!job_ && !waiting) return std::nullopt;
  if (!last_draw_) return core::Millis(0);
  return std::max(core::Millis(0), *last_draw_ + (waiting ? kBetweenDraws : kClockTick) - now);
}

std::string TtyDisplay::draw_if_due(const Frame& frame) {
  if (last_draw_ && frame.steady - *last_draw_ < kBetweenDraws) return {};
  return draw(frame);
}

std::vector<Line> TtyDisplay::block(const Frame& frame) const {
  std::vector<Line> lines;
  const int rows = frame.size.rows - (footer_.empty() ? 0 : 1);
  if (job_ && !has_output_ && rows >= 2) {
    lines.push_back(header_line(*job_, frame, options_.style.charset));
    // The line that counts the rest has its own row, so one more than there is room for tasks may come.
    const int room = std::min(rows - kRowsForOthers + 1, rows - 2);
    for (auto& line : task_lines(*job_, frame, options_.style, talkers_, room)) lines.push_back(std::move(line));
  }
  if (!footer_.empty()) {
    const auto fits = [&](const std::string& text) { return display_width(text) <= frame.size.columns; };
    const auto found = std::ranges::find_if(footer_, fits);
    lines.emplace_back(found == footer_.end() ? footer_.back() : *found, Tone::bold);
  }
  return lines;
}

std::string TtyDisplay::draw(const Frame& frame) {
  changed_ = false;
  last_draw_ = frame.steady;
  // A line that the task has begun is not cut in two by a row of ours.
  if (!at_row_start_ && scrolling_.empty()) return {};
  std::vector<std::string> rows;
  std::vector<int> widths;
  for (const auto& line : block(frame)) {
    rows.push_back(line.cut_to(frame.size.columns, options_.style));
    widths.push_back(std::min(line.width(), frame.size.columns));
  }
  if (scrolling_.empty() && rows == drawn_ && frame.size == drawn_size_) return {};

  auto out = scrolling_.empty() && !rows.empty() ? to_block_start(frame.size) : take_block_away(frame.size);
  if (!rows.empty()) {
    out += kWrapOff;
    // Before the text: after a row of full width the cursor still stands on its last character.
    for (const auto& row : rows) out.append(kClearRestOfRow).append(row).append(kNewRow);
    out.append(kWrapOn).append(kClearBelow);
  }
  drawn_ = std::move(rows);
  drawn_widths_ = std::move(widths);
  drawn_size_ = frame.size;
  return out;
}

std::string TtyDisplay::take_block_away(const Size& size) {
  // Row by row: tmux keeps what "clear below" erases from the first row of the screen on, and shows it again later.
  std::string out;
  if (const int rows = rows_of_block(size); rows > 0) {
    out = "\r";
    out += kClearBelow;  // the terminal shows ^C there
    for (int i = 0; i < rows; ++i) out += kClearRowAbove;
  }
  if (!scrolling_.empty() && !std::exchange(at_row_start_, true)) out += kNewRow;
  out += std::exchange(scrolling_, {});
  drawn_.clear();
  drawn_widths_.clear();
  return out;
}

// Terminals fold rows that became too long when the window was made narrower: the block is then taller than it was
// drawn. (Those that cut instead show a few rows less of what stood above.)
int TtyDisplay::rows_of_block(const Size& size) const {
  int rows = 0;
  for (const int width : drawn_widths_) {
    const bool folded = size.columns < drawn_size_.columns && size.columns > 0;
    rows += folded ? std::max(1, (width + size.columns - 1) / size.columns) : 1;
  }
  return rows;
}

std::string TtyDisplay::to_block_start(const Size& size) const {
  const int rows = rows_of_block(size);
  return rows == 0 ? std::string() : fmt::format("\x1b[{}A\r", rows);
}

void TtyDisplay::scroll(const Line& line) {
  scrolling_.append(line.whole(options_.style)).append(kNewRow);
}

void TtyDisplay::scroll_left_out(std::int64_t lines) {
  if (lines == 0) return;
  const auto of = left_out_of_.size() == 1 ? " " + left_out_of_.begin()->str() : std::string();
  scroll(Line(fmt::format("{} {} left out; ydl logs {}{} shows {}", options_.style.ellipsis(), grouped(lines, "line"),
                          job_ ? job_->id : std::string("ID"), of, lines == 1 ? "it" : "them"),
              Tone::dim));
  left_out_of_.clear();
}

}  // namespace ydl::ui
