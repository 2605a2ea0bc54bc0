#include "ui/tty.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace ydl::ui {
namespace {

constexpr core::Millis kBetweenDraws{100};
constexpr core::Millis kClockTick{500};  // twice a second, so that no second of the clocks is skipped
constexpr int kRowsForOthers = 4;        // the job's line, the line that counts the rest, the cursor's row, one spare

constexpr std::string_view kClearBelow = "\x1b[J";
constexpr std::string_view kClearRestOfRow = "\x1b[K";
constexpr std::string_view kWrapOff = "\x1b[?7l";
constexpr std::string_view kWrapOn = "\x1b[?7h";
constexpr std::string_view kNewRow = "\r\n";

// The events that stay on the screen; the block shows the others.
bool matters(const EventView& event) {
  using enum core::RecordKind;
  static constexpr std::array kKinds{task_failed,  task_lost,    task_retry,    job_restarting,
                                     job_stopping, host_avoided, host_forgiven, note};
  return std::ranges::any_of(kKinds, [&](core::RecordKind kind) { return event.kind == kind; });
}

Tone event_tone(const EventView& event) {
  if (event.kind == core::RecordKind::task_failed || event.kind == core::RecordKind::task_lost) return Tone::red;
  return event.kind == core::RecordKind::note ? Tone::plain : Tone::yellow;
}

}  // namespace

TtyDisplay::TtyDisplay(DisplayOptions options) : options_(std::move(options)) {}

std::string TtyDisplay::begin(const JobView& job, const Frame& frame) {
  scroll(begin_line(job));
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
  scroll(Line(clock_time(event.time, options_.utc_offset) + " ", Tone::dim)
             .add(event_sentence(event, id), event_tone(event)));
  return draw_if_due(frame);
}

std::string TtyDisplay::log(const LogLine& line, const Frame& frame) {
  scroll(log_line(line));
  return draw_if_due(frame);
}

std::string TtyDisplay::failure(const FailureView& failure, const Frame& frame) {
  for (const auto& line : failure_lines(failure)) scroll(line);
  return draw_if_due(frame);
}

std::string TtyDisplay::refresh(const Frame& frame) {
  return draw_if_due(frame);
}

// The tasks as they ended stay on the screen; the job's line gives way to the summary.
std::string TtyDisplay::finish(const JobView& job, const Frame& frame) {
  std::string out = to_block_start(frame.size);
  if (!out.empty()) out += kClearBelow;
  out += std::exchange(scrolling_, {});
  const int room = frame.size.rows - kRowsForOthers;
  for (const auto& line : task_lines(job, frame, options_.style, talkers_, std::max(1, room))) {
    out.append(line.cut_to(frame.size.columns, options_.style)).append(kNewRow);
  }
  for (const auto& line : finish_lines(job, frame.wall)) out.append(line.whole(options_.style)).append(kNewRow);
  job_.reset();
  forget_block();
  return out;
}

std::string TtyDisplay::abort(const Frame& frame) {
  std::string out = job_ || !scrolling_.empty() ? draw(frame) : std::string();
  forget_block();
  return out;
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

std::string TtyDisplay::draw(const Frame& frame) {
  changed_ = false;
  last_draw_ = frame.steady;
  std::vector<std::string> rows;
  std::vector<int> widths;
  const auto add = [&](const Line& line) {
    rows.push_back(line.cut_to(frame.size.columns, options_.style));
    widths.push_back(std::min(line.width(), frame.size.columns));
  };
  if (job_) {
    add(header_line(*job_, frame, options_.style.charset));
    // The line that counts the rest has its own row, so one more than there is room for tasks may come.
    const int room = std::min(frame.size.rows - kRowsForOthers + 1, frame.size.rows - 2);
    for (const auto& line : task_lines(*job_, frame, options_.style, talkers_, room)) add(line);
  }
  if (scrolling_.empty() && rows == drawn_ && frame.size == drawn_size_) return {};

  std::string out = to_block_start(frame.size);
  if (!scrolling_.empty()) {
    if (!out.empty()) out += kClearBelow;
    out += std::exchange(scrolling_, {});
  }
  out += kWrapOff;
  for (const auto& row : rows) out.append(row).append(kClearRestOfRow).append(kNewRow);
  out.append(kWrapOn).append(kClearBelow);
  drawn_ = std::move(rows);
  drawn_widths_ = std::move(widths);
  drawn_size_ = frame.size;
  return out;
}

// Terminals fold rows that became too long when the window was made narrower: the block is then taller than it was
// drawn. (Those that cut instead show a few rows less of what stood above.)
std::string TtyDisplay::to_block_start(const Size& size) const {
  int rows = 0;
  for (const int width : drawn_widths_) {
    const bool folded = size.columns < drawn_size_.columns && size.columns > 0;
    rows += folded ? std::max(1, (width + size.columns - 1) / size.columns) : 1;
  }
  return rows == 0 ? std::string() : fmt::format("\x1b[{}A\r", rows);
}

void TtyDisplay::scroll(const Line& line) {
  scrolling_.append(line.whole(options_.style)).append(kNewRow);
}

void TtyDisplay::forget_block() {
  drawn_.clear();
  drawn_widths_.clear();
  last_draw_.reset();
}

}  // namespace ydl::ui
