#include "client/follow_screen.hpp"

#include "core/files.hpp"
#include "core/utf8.hpp"
#include "files/log_lines.hpp"

#include <algorithm>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace ydl::client {

ui::Mode FollowScreen::resolved(ui::Mode wanted) {
  const bool is_terminal = ui::Screen(STDOUT_FILENO).is_terminal();
  return ui::resolve_mode(wanted, is_terminal ? ui::OutputKind::terminal : ui::OutputKind::other);
}

FollowScreen::FollowScreen(ui::Mode wanted, ui::Detail detail)
    : mode_(resolved(wanted)),
      display_(ui::make_display(mode_, {ui::terminal_style(), ui::local_utc_offset, detail})),
      screen_(display_->target() == ui::Stream::out ? STDOUT_FILENO : STDERR_FILENO) {}

FollowScreen::FollowScreen(ui::Mode mode, int fd)
    : mode_(mode), display_(ui::make_display(mode_, {ui::terminal_style(), ui::local_utc_offset})), screen_(fd) {}

ui::Frame FollowScreen::frame() const {
  return {core::steady_now(), core::wall_now(), screen_.size()};
}

void FollowScreen::log(const ui::LogLine& line) {
  if (!files::is_for_ydl(line.text)) show(display_->log(line, frame()));
}

bool FollowScreen::logs(LogReader& reader, const ShownTasks& shown) {
  holds_ = true;
  const bool has_more = reader.poll([&](const ui::LogLine& line) {
    if (shown.has(line.task)) log(line);
  });
  holds_ = false;
  show(std::exchange(held_, {}));
  return has_more;
}

// A standard error that leads elsewhere gets what the task wrote to its own.
void FollowScreen::output(const TaskOutput::Piece& piece) {
  if (piece.stream == "stderr" && !ui::Screen(STDERR_FILENO).is_terminal())
    (void)core::write_all(STDERR_FILENO, piece.bytes);
  else
    show(display_->output(piece.bytes, frame()));
}

void FollowScreen::clear() {
  if (is_clear_) return;
  show(display_->abort(frame()));
  is_clear_ = true;
}

void FollowScreen::write(const std::string& text) {
  clear();
  (void)screen_.write(text);
}

void FollowScreen::note(std::string text) {
  ui::EventView note;
  note.time = core::wall_now();
  note.kind = core::RecordKind::note;
  note.text = std::move(text);
  event(note);
}

void FollowScreen::lines_missing(const core::Error* why) {
  if (why != nullptr && !told_missing_) {
    note(fmt::format("lines of the tasks cannot be read now, and the job goes on: {}",
                     core::escaped_lines(why->message)));
  }
  told_missing_ = why != nullptr;
}

core::Millis FollowScreen::next_refresh() const {
  const auto next = display_->next_refresh(core::steady_now());
  return std::max(next.value_or(core::Seconds(3600)), core::Millis(20));
}

}  // namespace ydl::client
