#pragma once

#include "ui/display.hpp"
#include "ui/timeline.hpp"

#include <unordered_map>

namespace ydl::ui {

// One JSON object per line, version 1: see docs/output.md. Fields are always there, null where they do not apply, in
// one order. Fields may be added within a version; none changes its meaning or goes.
class JsonDisplay final : public Display {
 public:
  [[nodiscard]] std::string begin(const JobView& job, const Frame& frame) override;
  [[nodiscard]] std::string update(const JobView& job, const Frame& frame) override;
  [[nodiscard]] std::string event(const EventView& event, const Frame& frame) override;
  [[nodiscard]] std::string log(const LogLine& line, const Frame& frame) override;
  [[nodiscard]] std::string failure(const FailureView& failure, const Frame& frame) override;
  [[nodiscard]] std::string finish(const JobView& job, const Frame& frame) override;

 private:
  struct Told {
    int attempt = 0;
    int percent = -1;
    std::optional<core::Instant> at;
  };
  struct ToldMetrics {
    int attempt = 0;
    core::Metrics metrics;
    core::Instant at{};
  };
  [[nodiscard]] std::string progress_lines(const JobView& job, core::Instant now);
  [[nodiscard]] std::string metric_lines(const JobView& job, core::Instant now);

  std::string job_id_;
  std::optional<core::Named<core::JobState>> job_state_;
  EventFilter events_;
  std::unordered_map<core::TaskId, Told> told_;
  std::unordered_map<core::TaskId, ToldMetrics> told_metrics_;
};

// The "job", "event" and "log" lines by themselves, for `ydl status`, `ydl events` and `ydl logs`.
[[nodiscard]] std::string json_job_line(const JobView& job);
[[nodiscard]] std::string json_event_line(const EventView& event, std::string_view job_id);
[[nodiscard]] std::string json_log_line(const LogLine& line, std::string_view job_id,
                                        std::optional<core::WallTime> time = std::nullopt);
// One "attempt" line for each row of the timeline.
[[nodiscard]] std::string json_timeline(std::span<const EventView> events, std::string_view job_id);
// An error of a command, with the exit code that it leads to.
[[nodiscard]] std::string json_error_line(std::string_view sentence, int exit_code);

}  // namespace ydl::ui
