#pragma once

#include "core/strings.hpp"
#include "ui/frame.hpp"
#include "ui/model.hpp"

#include <string>
#include <utility>

namespace ydl::ui::test {

inline core::WallTime wall(std::string_view clock) {
  return *core::parse_utc("2026-11-15T" + std::string(clock) + "Z");
}

// The moment `millis` after the sample job was submitted.
inline Frame frame_at(long millis, Size size = {}) {
  return {core::Instant(core::Millis(1'000'000 + millis)), wall("03:13:20.000") + core::Millis(millis), size};
}

inline TaskView task(std::string role, int index, std::string_view state, std::string node = "host1") {
  TaskView view;
  view.id = {std::move(role), index};
  view.state = core::Named<core::TaskState>::parse(state);
  view.node = std::move(node);
  if (view.state == core::TaskState::running) view.running_since = wall("03:13:22.000");
  return view;
}

inline JobView mnist(std::string_view state = "running") {
  JobView job;
  job.id = "mnist-7f3k";
  job.name = "mnist";
  job.framework = "mxnet";
  job.where = "this machine";
  job.state = core::Named<core::JobState>::parse(state);
  job.submitted = wall("03:13:20.000");
  job.tasks = {task("worker", 0, "running"), task("worker", 1, "running", "host2")};
  return job;
}

inline EventView event(std::uint64_t seq, std::string_view kind, std::string text) {
  return {.seq = seq,
          .time = wall("03:13:28.000"),
          .kind = core::Named<core::RecordKind>::parse(kind),
          .task = core::TaskId{"worker", 0},
          .attempt = 1,
          .text = std::move(text),
          .exit_code = std::nullopt};
}

inline FailureView bad_data_dir() {
  return {.task = {"worker", 1},
          .attempt = 1,
          .node = "host2",
          .is_elsewhere = true,
          .sentence = "ended with code 3",
          .last_lines = {"Traceback (most recent call last):", "\tmain()", "ValueError: no such directory: 数据"},
          .log_path = "/jobs/mnist-7f3k/worker-1.stderr",
          .more_command = "ydl logs mnist-7f3k worker:1"};
}

}  // namespace ydl::ui::test
