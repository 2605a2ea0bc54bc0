#include "client/follow_screen.hpp"

#include "files/log_lines.hpp"

#include <algorithm>
#include <unistd.h>

namespace ydl::client {

FollowScreen::FollowScreen(ui::Mode wanted)
    : mode_(ui::resolve_mode(
          wanted, ui::Screen(STDOUT_FILENO).is_terminal() ? ui::OutputKind::terminal : ui::OutputKind::other)),
      display_(ui::make_display(mode_, {ui::terminal_style(), ui::local_utc_offset})),
      screen_(display_->target() == ui::Stream::out ? STDOUT_FILENO : STDERR_FILENO) {}

ui::Frame FollowScreen::frame() const {
  return {core::steady_now(), core::wall_now(), screen_.size()};
}

void FollowScreen::log(const ui::LogLine& line) {
  if (!files::parse_progress(line.text)) show(display_->log(line, frame()));
}

void FollowScreen::note(std::string text) {
  ui::EventView note;
  note.time = core::wall_now();
  note.kind = core::RecordKind::note;
  note.text = std::move(text);
  event(note);
}

core::Millis FollowScreen::next_refresh() const {
  const auto next = display_->next_refresh(core::steady_now());
  return std::max(next.value_or(core::Seconds(3600)), core::Millis(20));
}

void FollowScreen::begin_question() {
  show(display_->abort(frame()));
  asking_ = true;
}

}  // namespace ydl::client
