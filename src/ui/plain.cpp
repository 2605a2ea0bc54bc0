#include "ui/plain.hpp"

#include "ui/progress.hpp"

#include <utility>

#include <fmt/format.h>

namespace ydl::ui {
namespace {

constexpr core::Seconds kSlowProgress{30};

}  // namespace

std::string dated_event_line(const EventView& event, std::string_view job_id, const UtcOffset& offset) {
  return fmt::format("{} {} {}", calendar_date(event.time, offset), clock_time(event.time, offset),
                     event_sentence(event, job_id));
}

PlainDisplay::PlainDisplay(DisplayOptions options) : options_(std::move(options)) {
  options_.style.colour = Colour::off;
}

std::string PlainDisplay::stamped(core::WallTime time, const Line& line) const {
  return fmt::format("{} {}\n", clock_time(time, options_.utc_offset), line.whole(options_.style));
}

std::string PlainDisplay::begin(const JobView& job, const Frame& frame) {
  job_id_ = job.id;
  steps_.update(job);
  (void)steps_.due(frame.wall);  // counts wait from now on
  // Of a job that is followed later only new progress is told.
  for (const auto& task : job.tasks) {
    if (const auto percent = progress_percent(task))
      told_[task.id] = {.attempt = task.attempt, .percent = *percent, .at = frame.steady};
  }
  return stamped(job.submitted, begin_line(job));
}

bool PlainDisplay::is_due(const TaskView& task, int percent, core::Instant now) {
  auto& told = told_[task.id];
  if (told.attempt != task.attempt) told = {.attempt = task.attempt, .percent = 0, .at = now};
  // A task that starts its count again, at a new epoch for example, is followed down silently.
  if (percent < told.percent) told.percent = percent;
  const bool next_tenth = percent / 10 > told.percent / 10;
  const bool slow_step = percent > told.percent && now - told.at >= kSlowProgress;
  if (!next_tenth && !slow_step) return false;
  told.percent = percent;
  told.at = now;
  return true;
}

std::string PlainDisplay::told(core::WallTime time, const std::vector<std::string>& sentences) const {
  std::string out;
  for (const auto& sentence : sentences) out += stamped(time, Line(sentence));
  return out;
}

std::string PlainDisplay::update(const JobView& job, const Frame& frame) {
  job_id_ = job.id;
  steps_.update(job);
  auto out = told(frame.wall, steps_.due(frame.wall));
  for (const auto& task : job.tasks) {
    const auto percent = progress_percent(task);
    if (!percent || !is_due(task, *percent, frame.steady)) continue;
    out += stamped(frame.wall, Line(fmt::format("{} {}", task.id.str(), progress_words(*percent, task.progress_text))));
  }
  return out;
}

std::string PlainDisplay::event(const EventView& event, const Frame& /*frame*/) {
  if (!events_.is_new(event) || end_of_job(event) || is_small_step(event)) return {};
  if (options_.detail == Detail::gang) {
    if (const auto sentences = steps_.take(event)) return told(event.time, *sentences);
  }
  return stamped(event.time, Line(event_sentence(event, job_id_)));
}

std::string PlainDisplay::log(const LogLine& line, const Frame& /*frame*/) {
  return log_line(line).whole(options_.style) + "\n";
}

std::string PlainDisplay::failure(const FailureView& failure, const Frame& /*frame*/) {
  std::string out;
  for (const auto& line : failure_lines(failure)) out.append(line.whole(options_.style)).append("\n");
  return out;
}

std::string PlainDisplay::finish(const JobView& job, const Frame& frame) {
  std::string out = update(job, frame) + told(job.finished.value_or(frame.wall), steps_.rest());
  const auto lines = finish_lines(job, frame.wall);
  out += stamped(job.finished.value_or(frame.wall), lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) out.append(lines[i].whole(options_.style)).append("\n");
  return out;
}

}  // namespace ydl::ui
