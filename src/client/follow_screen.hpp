#pragma once

#include "ui/display.hpp"
#include "ui/screen.hpp"

#include <memory>
#include <string>

namespace ydl::client {

// What a follower shows of a job, in the display that the user asked for. While a question is on the screen nothing
// else is shown.
class FollowScreen {
 public:
  explicit FollowScreen(ui::Mode wanted);

  [[nodiscard]] ui::Mode mode() const { return mode_; }

  void begin(const ui::JobView& job) { show(display_->begin(job, frame())); }
  void update(const ui::JobView& job) { show(display_->update(job, frame())); }
  void event(const ui::EventView& event) { show(display_->event(event, frame())); }
  // A line of a task; those that report progress are shown as such.
  void log(const ui::LogLine& line);
  void failure(const ui::FailureView& failure) { show(display_->failure(failure, frame())); }
  void finish(const ui::JobView& job) { show(display_->finish(job, frame())); }
  // One sentence of our own, among the events.
  void note(std::string text);
  // As it is, beside the display.
  void write(const std::string& text) { (void)screen_.write(text); }

  // How long the display can stay as it is.
  [[nodiscard]] core::Millis next_refresh() const;
  void refresh() { show(display_->refresh(frame())); }

  void begin_question();
  void end_question() { asking_ = false; }

 private:
  void show(const std::string& bytes) {
    if (!bytes.empty() && !asking_) (void)screen_.write(bytes);
  }
  [[nodiscard]] ui::Frame frame() const;

  ui::Mode mode_;
  std::unique_ptr<ui::Display> display_;
  ui::Screen screen_;
  bool asking_ = false;
};

}  // namespace ydl::client
