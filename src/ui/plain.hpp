#pragma once

#include "ui/display.hpp"
#include "ui/gang_steps.hpp"

#include <unordered_map>

namespace ydl::ui {

// "2026-11-15 03:13:28 worker:0 running on host1 (pid 123)", without a line end, for `ydl events`: the job may be of
// another day.
[[nodiscard]] std::string dated_event_line(const EventView& event, std::string_view job_id, const UtcOffset& offset);

// One line per event and log line, in the order they come: for pipes and continuous integration. What all tasks do
// together is one line, unless the details are wanted. Progress is told at every tenth, or after 30 seconds when it
// moves slower.
class PlainDisplay final : public Display {
 public:
  explicit PlainDisplay(DisplayOptions options);

  [[nodiscard]] std::string begin(const JobView& job, const Frame& frame) override;
  [[nodiscard]] std::string update(const JobView& job, const Frame& frame) override;
  [[nodiscard]] std::string event(const EventView& event, const Frame& frame) override;
  [[nodiscard]] std::string log(const LogLine& line, const Frame& frame) override;
  [[nodiscard]] std::string failure(const FailureView& failure, const Frame& frame) override;
  [[nodiscard]] std::string finish(const JobView& job, const Frame& frame) override;

 private:
  struct Told {
    int attempt = 0;
    int percent = 0;
    core::Instant at;
  };
  [[nodiscard]] bool is_due(const TaskView& task, int percent, core::Instant now);
  [[nodiscard]] std::string stamped(core::WallTime time, const Line& line) const;

  [[nodiscard]] std::string told(core::WallTime time, const std::vector<std::string>& sentences) const;

  DisplayOptions options_;
  std::string job_id_;
  GangSteps steps_;
  EventFilter events_;
  std::unordered_map<core::TaskId, Told> told_;
};

}  // namespace ydl::ui
