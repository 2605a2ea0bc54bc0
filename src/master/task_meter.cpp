#include "master/task_meter.hpp"

namespace ydl::master {

void TaskMeter::note(const protocol::TaskOutput& output, core::Instant now) {
  if (output.attempt.attempt != attempt_) {
    *this = TaskMeter();
    attempt_ = output.attempt.attempt;
  }
  if (output.progress) time_left_.note(*output.progress, now);
  // The values are from the agent's last sample. A report without values was sent before the first sample.
  if (output.cpu_percent) cpu_percent_ = output.cpu_percent;
  if (output.memory_bytes) memory_bytes_ = output.memory_bytes;
  wrote_at_ = now - output.quiet_ms.value_or(core::Millis(0));
}

}  // namespace ydl::master
