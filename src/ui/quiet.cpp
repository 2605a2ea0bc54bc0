#include "ui/quiet.hpp"

namespace ydl::ui {

std::string QuietDisplay::failure(const FailureView& failure, const Frame& /*frame*/) {
  std::string out;
  for (const auto& line : failure_lines(failure)) out.append(line.whole({})).append("\n");
  return out;
}

std::string QuietDisplay::finish(const JobView& job, const Frame& frame) {
  if (job.state != core::JobState::failed && job.state != core::JobState::lost) return {};
  return finish_lines(job, frame.wall).front().whole({}).append("\n");
}

}  // namespace ydl::ui
