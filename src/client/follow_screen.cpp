#include "client/follow_screen.hpp"

#include "core/utf8.hpp"
#include "files/log_lines.hpp"

#include <algorithm>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace ydl::client {

FollowScreen::FollowScreen(ui::Mode wanted)
    : mode_(ui::resolve_mode(
          wanted, ui::Screen(STDOUT_FILENO).is_terminal() ? ui::OutputKind::terminal : ui::OutputKind::other)),
      display_(ui::make_display(mode_, {ui::terminal_style(), ui::local_utc_offset})),
      screen_(display_->target() == ui::Stream::out ? STDOUT_FILENO : STDERR_FILENO) {}

FollowScreen::FollowScreen(ui::Mode mode, int fd)
    : mode_(mode), display_(ui::make_display(mode_, {ui::terminal_style(), ui::local_utc_offset})), screen_(fd) {}

ui::Frame FollowScreen::frame() const {
  return {core::steady_now(), core::wall_now(), screen_.size()};
}

void FollowScreen::log(const ui::LogLine& line) {
  if (files::parse_progress(line.text)) return;
  if (asking_)
    waiting_.emplace_back([this, line] { log(line); });
  else
    show(display_->log(line, frame()));
}

bool FollowScreen::logs(LogReader& reader) {
  holds_ = true;
  const bool has_more = reader.poll([this](const ui::LogLine& line) { log(line); });
  holds_ = false;
  show(std::exchange(held_, {}));
  return has_more;
}

void FollowScreen::update(const ui::JobView& job) {
  if (!asking_) show(display_->update(job, frame()));  // the next one comes soon after the answer
}

void FollowScreen::event(const ui::EventView& event) {
  if (asking_)
    waiting_.emplace_back([this, event] { this->event(event); });
  else
    show(display_->event(event, frame()));
}

void FollowScreen::finish(const ui::JobView& job) {
  if (asking_) end_question();
  show(display_->finish(job, frame()));
}

void FollowScreen::clear() {
  if (is_clear_) return;  // an abort would draw the block once more
  show(display_->abort(frame()));
  is_clear_ = true;
}

void FollowScreen::write(const std::string& text) {
  if (!asking_) clear();
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

void FollowScreen::begin_question() {
  clear();
  asking_ = true;
}

void FollowScreen::end_question() {
  asking_ = false;
  for (const auto& show_it : std::exchange(waiting_, {})) show_it();
}

}  // namespace ydl::client
