#pragma once

#include "core/error.hpp"
#include "net/asio.hpp"
#include "ui/display.hpp"
#include "ui/screen.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace ydl::client {

// What a follower shows of a job, in the display that the user asked for.
class FollowScreen {
 public:
  explicit FollowScreen(ui::Mode wanted, ui::Detail detail = ui::Detail::gang);
  // Of a mode that is resolved, on a descriptor of the caller's.
  FollowScreen(ui::Mode mode, int fd);

  // What `wanted` means for the standard output of this process.
  [[nodiscard]] static ui::Mode resolved(ui::Mode wanted);
  [[nodiscard]] ui::Mode mode() const { return mode_; }
  void begin(const ui::JobView& job) { show(display_->begin(job, frame())); }
  void update(const ui::JobView& job) {
    if (!is_behind()) show(display_->update(job, frame()));
  }
  void event(const ui::EventView& event) { show(display_->event(event, frame())); }
  // A line of a task, unless ydl reads it (files::is_for_ydl).
  void log(const ui::LogLine& line);
  // Everything that `show_all` shows, in one write.
  void together(const std::function<void()>& show_all);
  // The bytes of the only task of the job, as they are. `stream`: stdout or stderr.
  void output(std::string_view stream, std::string_view bytes);
  // The row below everything else.
  void footer(const ui::Footer& text) { show(display_->footer(text, frame())); }
  void failure(const ui::FailureView& failure) { show(display_->failure(failure, frame())); }
  void finish(const ui::JobView& job) { show(display_->finish(job, frame())); }
  // One sentence of our own, among the events.
  void note(std::string text);
  // Why no lines of the tasks can be read now, once until they can be read again; nullptr: they can.
  void lines_missing(const core::Error* why);
  // As it is, below the display, which goes on below the text.
  void write(const std::string& text);
  // Removes the display until there is something new, so that other text can be written to the terminal.
  void clear();
  // The same for good: nothing is shown from now on.
  void close() {
    clear();
    is_closed_ = true;
  }

  // Whether what is shown goes into a pipe that is closed at its other end.
  [[nodiscard]] bool has_no_reader() const { return screen_.has_no_reader(); }

  // How long the display can stay as it is.
  [[nodiscard]] core::Millis next_refresh() const;
  void refresh() {
    if (!is_behind()) show(display_->refresh(frame()));
  }

  // Whether a slow terminal or reader has not taken everything yet. Nothing here waits for it.
  [[nodiscard]] bool is_behind() const { return !pending_.empty(); }
  // Until everything is written.
  [[nodiscard]] net::awaitable<void> catch_up();

 private:
  void show(const std::string& bytes) {
    if (bytes.empty() || is_closed_) return;
    put(bytes);
    is_clear_ = false;
  }
  void put(std::string_view bytes);
  // Writes what can be written at once.
  void flush();
  [[nodiscard]] ui::Frame frame() const;

  ui::Mode mode_;
  std::unique_ptr<ui::Display> display_;
  ui::Screen screen_;
  bool told_missing_ = false;  // lines_missing() has
  bool is_closed_ = false;
  bool is_clear_ = false;  // nothing is drawn since clear()
  bool holds_ = false;     // what is shown is collected, to be written at once
  std::string pending_;    // not written yet
};

}  // namespace ydl::client
