#pragma once

#include "client/log_reader.hpp"
#include "client/shown_tasks.hpp"
#include "client/task_output.hpp"
#include "core/error.hpp"
#include "ui/display.hpp"
#include "ui/screen.hpp"

#include <memory>
#include <string>

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
  void update(const ui::JobView& job) { show(display_->update(job, frame())); }
  void event(const ui::EventView& event) { show(display_->event(event, frame())); }
  // A line of a task, unless ydl reads it (files::is_for_ydl).
  void log(const ui::LogLine& line);
  // New lines of the tasks that are shown, as LogReader::poll() gives them, in one write. True: there are more.
  bool logs(LogReader& reader, const ShownTasks& shown);
  // The bytes of the only task of the job, as they are.
  void output(const TaskOutput::Piece& piece);
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

  // How long the display can stay as it is.
  [[nodiscard]] core::Millis next_refresh() const;
  void refresh() { show(display_->refresh(frame())); }

 private:
  void show(const std::string& bytes) {
    if (bytes.empty() || is_closed_) return;
    if (holds_)
      held_ += bytes;
    else
      (void)screen_.write(bytes);
    is_clear_ = false;
  }
  [[nodiscard]] ui::Frame frame() const;

  ui::Mode mode_;
  std::unique_ptr<ui::Display> display_;
  ui::Screen screen_;
  bool told_missing_ = false;  // lines_missing() has
  bool is_closed_ = false;
  bool is_clear_ = false;  // nothing is drawn since clear()
  bool holds_ = false;     // what is shown is collected, to be written at once
  std::string held_;
};

}  // namespace ydl::client
