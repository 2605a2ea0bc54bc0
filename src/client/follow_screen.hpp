#pragma once

#include "client/log_reader.hpp"
#include "core/error.hpp"
#include "ui/display.hpp"
#include "ui/screen.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ydl::client {

// What a follower shows of a job, in the display that the user asked for. While a question is on the screen nothing
// else is shown: what comes meanwhile waits until it is answered.
class FollowScreen {
 public:
  explicit FollowScreen(ui::Mode wanted);
  // Of a mode that is resolved, on a descriptor of the caller's.
  FollowScreen(ui::Mode mode, int fd);

  [[nodiscard]] ui::Mode mode() const { return mode_; }
  // In a pipe the tasks' lines are part of what is shown; on a terminal each task's last line is.
  [[nodiscard]] bool shows_logs() const { return mode_ == ui::Mode::plain || mode_ == ui::Mode::json; }

  void begin(const ui::JobView& job) { show(display_->begin(job, frame())); }
  void update(const ui::JobView& job);
  void event(const ui::EventView& event);
  // A line of a task; those that report progress are shown as such.
  void log(const ui::LogLine& line);
  // New lines of the tasks, as LogReader::poll() gives them, in one write. True: there are more.
  bool logs(LogReader& reader);
  void failure(const ui::FailureView& failure) { show(display_->failure(failure, frame())); }
  void finish(const ui::JobView& job);
  // One sentence of our own, among the events.
  void note(std::string text);
  // Why no lines of the tasks can be read now, once until they can be read again; nullptr: they can.
  void lines_missing(const core::Error* why);
  // As it is, below the display, which goes on below the text.
  void write(const std::string& text);
  // Ends the display until there is something new: somebody else writes to the terminal.
  void clear();

  // How long the display can stay as it is.
  [[nodiscard]] core::Millis next_refresh() const;
  void refresh() {
    if (!asking_) show(display_->refresh(frame()));
  }

  void begin_question();
  void end_question();

 private:
  void show(const std::string& bytes) {
    if (bytes.empty()) return;
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
  bool asking_ = false;
  bool told_missing_ = false;  // lines_missing() has
  bool is_clear_ = false;      // nothing is drawn since clear()
  bool holds_ = false;         // what is shown is collected, to be written at once
  std::string held_;
  // What came while a question was on the screen. The display must not be told before it can be drawn.
  std::vector<std::function<void()>> waiting_;
};

}  // namespace ydl::client
