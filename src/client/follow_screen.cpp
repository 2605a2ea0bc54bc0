#include "client/follow_screen.hpp"

#include "core/utf8.hpp"
#include "files/log_lines.hpp"

#include <algorithm>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace ydl::client {

namespace {

constexpr core::Millis kSlowReader{5};

}  // namespace

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

void FollowScreen::together(const std::function<void()>& show_all) {
  holds_ = true;
  show_all();
  holds_ = false;
  flush();
}

void FollowScreen::put(std::string_view bytes) {
  pending_ += bytes;
  if (!holds_) flush();
}

void FollowScreen::flush() {
  const auto written = screen_.write_some(pending_);
  // Nothing can be written any more. The job goes on, and the command tells the failure at its end.
  pending_.erase(0, written ? *written : pending_.size());
}

net::awaitable<void> FollowScreen::catch_up() {
  for (flush(); is_behind(); flush()) co_await net::pause(kSlowReader);
}

// A standard error that leads elsewhere gets what the task wrote to its own.
void FollowScreen::output(std::string_view stream, std::string_view bytes) {
  if (stream == "stderr" && !ui::Screen(STDERR_FILENO).is_terminal())
    (void)ui::Screen(STDERR_FILENO).write(bytes);
  else
    show(display_->output(bytes, frame()));
}

void FollowScreen::clear() {
  if (is_clear_) return;
  show(display_->abort(frame()));
  is_clear_ = true;
}

void FollowScreen::write(const std::string& text) {
  clear();
  put(text);
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
