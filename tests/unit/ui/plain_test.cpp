#include "ui/plain.hpp"

#include "samples.hpp"

#include <gtest/gtest.h>

namespace ydl::ui {
namespace {

using namespace test;

TEST(PlainDisplay, a_job_from_start_to_end) {
  PlainDisplay display({});
  std::string out = display.begin(mnist("placing"), frame_at(0));
  out += display.event(event(1, "task_running", "runs on host1 (pid 123)"), frame_at(8000));
  out += display.log({{"worker", 0}, "stdout", "epoch 1"}, frame_at(9000));
  out += display.log({{"worker", 1}, "stderr", "\x1b[33mwarning\x1b[0m"}, frame_at(9000));
  out += display.event(event(2, "job_succeeded", "all workers succeeded"), frame_at(41'000));
  auto job = mnist("succeeded");
  job.finished = wall("03:14:01.300");
  job.results_path = "/jobs/mnist-7f3k/results";
  job.logs_path = "/jobs/mnist-7f3k/logs";
  out += display.finish(job, frame_at(45'000));
  EXPECT_EQ(out,
            "03:13:20 mnist-7f3k: mxnet job of 2 tasks on this machine\n"
            "03:13:28 worker:0 runs on host1 (pid 123)\n"
            "[worker:0] epoch 1\n"
            "[worker:1] warning\n"
            "03:14:01 mnist-7f3k succeeded in 41 s\n"
            "results: /jobs/mnist-7f3k/results\n"
            "logs: /jobs/mnist-7f3k/logs\n");
}

TEST(PlainDisplay, clock_times_are_those_of_the_place) {
  PlainDisplay display({.style = {}, .utc_offset = [](core::WallTime) { return core::Seconds(-4 * 3600); }});
  EXPECT_EQ(display.event(event(1, "task_running", "running"), frame_at(0)), "23:13:28 worker:0 running\n");
}

TEST(PlainDisplay, an_event_names_its_task_once_and_a_later_attempt_by_number) {
  const auto line = [](const EventView& event) { return plain_event_line(event, "mnist-7f3k", {}); };
  EXPECT_EQ(line(event(1, "task_failed", "worker:0 ended with code 3")), "03:13:28 worker:0 ended with code 3");
  EXPECT_EQ(line(event(1, "task_failed", "worker:01 is another")), "03:13:28 worker:0 worker:01 is another");
  EXPECT_EQ(line(event(1, "task_succeeded", "")), "03:13:28 worker:0 succeeded");
  EXPECT_EQ(line(event(1, "task_lost", "its host did not confirm its end in time")),
            "03:13:28 worker:0: its host did not confirm its end in time");
  auto again = event(1, "task_running", "running on host2");
  again.attempt = 2;
  EXPECT_EQ(line(again), "03:13:28 worker:0 (attempt 2) running on host2");
  again.text = "worker:0 (attempt 2) running on host2";
  EXPECT_EQ(line(again), "03:13:28 worker:0 (attempt 2) running on host2");
  auto of_job = event(1, "job_restarting", "all tasks start again");
  of_job.task.reset();
  EXPECT_EQ(line(of_job), "03:13:28 mnist-7f3k: all tasks start again");
  of_job.kind = core::RecordKind::note;
  of_job.text = "dashboard at http://localhost:8080\nsecond line";
  EXPECT_EQ(line(of_job), "03:13:28 dashboard at http://localhost:8080 second line");
}

TEST(PlainDisplay, progress_is_told_at_every_tenth_or_after_30_seconds) {
  PlainDisplay display({});
  auto job = mnist();
  std::string out = display.begin(job, frame_at(0));
  const auto report = [&](double progress, long millis) {
    job.tasks[0].progress = progress;
    job.tasks[0].progress_text = "epoch 3/5";
    return display.update(job, frame_at(millis));
  };
  EXPECT_EQ(report(0.05, 1000), "");
  EXPECT_EQ(report(0.12, 2000), "03:13:22 worker:0 12% epoch 3/5\n");
  EXPECT_EQ(report(0.19, 3000), "");
  EXPECT_EQ(report(0.29, 4000), "03:13:24 worker:0 29% epoch 3/5\n");
  EXPECT_EQ(report(0.30, 5000), "03:13:25 worker:0 30% epoch 3/5\n");
  EXPECT_EQ(report(0.31, 34'999), "");
  EXPECT_EQ(report(0.31, 35'000), "03:13:55 worker:0 31% epoch 3/5\n");
  EXPECT_EQ(report(0.31, 99'000), "");
  EXPECT_EQ(report(0.02, 99'500), "");
  EXPECT_EQ(report(0.11, 100'000), "03:15:00 worker:0 11% epoch 3/5\n");
  EXPECT_EQ(report(1.7, 101'000), "03:15:01 worker:0 100% epoch 3/5\n");
  EXPECT_EQ(report(std::numeric_limits<double>::quiet_NaN(), 200'000), "");
}

TEST(PlainDisplay, a_new_attempt_starts_its_progress_anew) {
  PlainDisplay display({});
  auto job = mnist();
  job.tasks[0].progress = 0.5;
  (void)display.begin(job, frame_at(0));
  job.tasks[0].attempt = 2;
  job.tasks[0].progress = 0.2;
  EXPECT_EQ(display.update(job, frame_at(1000)), "03:13:21 worker:0 20%\n");
}

TEST(PlainDisplay, a_failure_says_who_where_why_and_where_there_is_more) {
  PlainDisplay display({.style = {Colour::on, Charset::unicode}, .utc_offset = {}});
  auto failure = bad_data_dir();
  failure.attempt = 2;
  failure.sentence = "worker:1: failed with exit code 3";
  failure.last_lines.clear();
  for (int i = 1; i <= 25; ++i) failure.last_lines.push_back("line " + std::to_string(i));
  std::string expected = "worker:1 (attempt 2) on host2 failed first, with exit code 3\n";
  for (int i = 6; i <= 25; ++i) expected += "    line " + std::to_string(i) + "\n";
  expected += "log: /jobs/mnist-7f3k/worker-1.stderr\nmore: ydl logs mnist-7f3k worker:1\n";
  EXPECT_EQ(display.failure(failure, frame_at(0)), expected);
}

TEST(PlainDisplay, a_job_that_is_left_is_not_called_finished) {
  PlainDisplay display({});
  EXPECT_EQ(display.finish(mnist(), frame_at(12'000)), "03:13:32 mnist-7f3k goes on: running for 12 s\n");
}

TEST(PlainDisplay, a_reason_that_repeats_the_state_does_not_say_it_twice) {
  PlainDisplay display({});
  auto job = mnist("stopped");
  job.reason = "stopped by kim";
  EXPECT_EQ(display.finish(job, frame_at(41'000)), "03:14:01 mnist-7f3k stopped after 41 s: by kim\n");
}

TEST(PlainDisplay, a_short_job_is_told_with_tenths) {
  PlainDisplay display({});
  EXPECT_EQ(display.finish(mnist("stopped"), frame_at(4200)), "03:13:24 mnist-7f3k stopped after 4.2 s\n");
}

}  // namespace
}  // namespace ydl::ui
