#include "ui/plain.hpp"

#include "samples.hpp"

#include <gtest/gtest.h>

namespace ydl::ui {
namespace {

using namespace test;

TEST(PlainDisplay, a_job_from_start_to_end) {
  PlainDisplay display({.style = {}, .utc_offset = {}, .detail = Detail::tasks});
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
            "03:13:20 mnist-7f3k: MXNet, 2 workers on this machine\n"
            "03:13:28 worker:0 runs on host1 (pid 123)\n"
            "[worker:0] epoch 1\n"
            "[worker:1] warning\n"
            "03:14:01 mnist-7f3k succeeded in 41 s\n"
            "results: /jobs/mnist-7f3k/results\n"
            "logs: /jobs/mnist-7f3k/logs\n");
}

TEST(PlainDisplay, clock_times_are_local) {
  PlainDisplay display(
      {.style = {}, .utc_offset = [](core::WallTime) { return core::Seconds(-4 * 3600); }, .detail = Detail::tasks});
  EXPECT_EQ(display.event(event(1, "task_running", "running"), frame_at(0)), "23:13:28 worker:0 running\n");
}

TEST(PlainDisplay, an_event_names_its_task_once_and_a_later_attempt_by_number) {
  const auto line = [](const EventView& event) { return dated_event_line(event, "mnist-7f3k", {}); };
  EXPECT_EQ(line(event(1, "task_failed", "worker:0 ended with code 3")),
            "2026-11-15 03:13:28 worker:0 ended with code 3");
  EXPECT_EQ(line(event(1, "task_failed", "worker:01 is another")), "2026-11-15 03:13:28 worker:0 worker:01 is another");
  EXPECT_EQ(line(event(1, "task_succeeded", "")), "2026-11-15 03:13:28 worker:0 succeeded");
  EXPECT_EQ(line(event(1, "task_lost", "its host did not confirm its end in time")),
            "2026-11-15 03:13:28 worker:0: its host did not confirm its end in time");
  auto again = event(1, "task_running", "running on host2");
  again.attempt = 2;
  EXPECT_EQ(line(again), "2026-11-15 03:13:28 worker:0 (attempt 2) running on host2");
  again.text = "worker:0 (attempt 2) running on host2";
  EXPECT_EQ(line(again), "2026-11-15 03:13:28 worker:0 (attempt 2) running on host2");
  auto of_job = event(1, "job_restarting", "all tasks start again");
  of_job.task.reset();
  EXPECT_EQ(line(of_job), "2026-11-15 03:13:28 mnist-7f3k: all tasks start again");
  of_job.kind = core::RecordKind::note;
  of_job.text = "dashboard at http://localhost:8080\nsecond line";
  EXPECT_EQ(line(of_job), "2026-11-15 03:13:28 dashboard at http://localhost:8080 second line");
}

// ---- what all tasks do together --------------------------------------------------------------------------------

// A job of workers, whose events come with rising numbers and times.
struct Gang {
  explicit Gang(int workers) {
    job = mnist("placing");
    job.tasks.clear();
    for (int i = 0; i < workers; ++i) job.tasks.push_back(test::task("worker", i, "waiting", ""));
    out = display.begin(job, frame_at(0));
  }
  void of_job(std::string_view kind, std::string text, long millis) {
    auto one = event(++seq, kind, std::move(text));
    one.task.reset();
    show(std::move(one), millis);
  }
  void of_task(std::string_view kind, int index, std::string text, long millis, int attempt = 1) {
    auto one = event(++seq, kind, std::move(text));
    one.task = core::TaskId{"worker", index};
    one.attempt = attempt;
    one.node = "host1";
    show(std::move(one), millis);
  }
  void show(EventView one, long millis) {
    one.time = wall("03:13:20.000") + core::Millis(millis);
    out += display.event(one, frame_at(millis));
  }
  void start(int workers) {
    of_job("job_placing", "asking for containers", 0);
    for (int i = 0; i < workers; ++i) of_task("task_placed", i, "placed on host1", 4);
    for (int i = 0; i < workers; ++i) of_task("task_starting", i, "starts", 5);
    for (int i = 0; i < workers; ++i) of_task("task_running", i, "runs on host1", 8);
    of_job("job_running", "all tasks started", 9);
  }

  PlainDisplay display{DisplayOptions{}};
  JobView job;
  std::uint64_t seq = 0;
  std::string out;
};

TEST(PlainDisplay, what_all_tasks_do_is_one_line) {
  Gang gang(64);
  gang.start(64);
  for (int i = 0; i < 64; ++i) gang.of_task("task_succeeded", i, "succeeded", 90);
  gang.of_job("job_finishing", "all workers are done", 91);
  gang.job.state = core::JobState::succeeded;
  gang.job.finished = wall("03:13:20.102");
  gang.out += gang.display.finish(gang.job, frame_at(110));
  EXPECT_EQ(gang.out,
            "03:13:20 mnist-7f3k: MXNet, 64 workers on this machine\n"
            "03:13:20 all 64 tasks placed (1 host) after 4 ms, started after 9 ms\n"
            "03:13:20 64 of 64 workers succeeded\n"
            "03:13:20 mnist-7f3k succeeded in 102 ms\n");
}

TEST(PlainDisplay, a_task_that_fails_and_starts_again_is_named) {
  Gang gang(2);
  gang.start(2);
  gang.out.clear();
  gang.of_task("task_failed", 1, "ended with code 3", 1000);
  gang.of_task("task_retry", 1, "restarting (attempt 2 of 2)", 1000);
  gang.of_task("task_placed", 1, "placed on host1", 2000, 2);
  gang.of_task("task_starting", 1, "starts", 2000, 2);
  gang.of_task("task_running", 1, "runs on host1", 2000, 2);
  gang.of_task("task_succeeded", 0, "succeeded", 3000);
  gang.of_task("task_succeeded", 1, "succeeded", 3000, 2);
  EXPECT_EQ(gang.out,
            "03:13:21 worker:1 ended with code 3\n"
            "03:13:21 worker:1 restarting (attempt 2 of 2)\n"
            "03:13:22 worker:1 (attempt 2) runs on host1\n");
  EXPECT_EQ(gang.display.finish(gang.job, frame_at(3000)).substr(0, 32), "03:13:23 2 of 2 workers succeede");
}

TEST(PlainDisplay, a_restart_of_all_tasks_counts_from_there) {
  Gang gang(2);
  gang.start(2);
  gang.out.clear();
  gang.of_job("job_restarting", "all tasks start again", 10'000);
  for (int i = 0; i < 2; ++i) gang.of_task("task_placed", i, "placed", 11'000, 2);
  for (int i = 0; i < 2; ++i) gang.of_task("task_running", i, "runs", 12'000, 2);
  gang.of_job("job_running", "all tasks started", 12'000);
  EXPECT_EQ(gang.out,
            "03:13:30 mnist-7f3k: all tasks start again\n"
            "03:13:32 all 2 tasks placed (1 host) after 1 s, started after 2 s\n");
}

TEST(PlainDisplay, those_that_wait_are_told_how_many_tasks_are_placed) {
  Gang gang(3);
  gang.out.clear();
  gang.of_task("task_placed", 0, "placed", 2000);
  for (long millis = 1000; millis <= 30'000; millis += 1000)
    gang.out += gang.display.update(gang.job, frame_at(millis));
  EXPECT_EQ(gang.out, "03:13:30 1 of 3 tasks placed (1 host) after 2 s\n");
}

TEST(PlainDisplay, what_several_tasks_wait_for_is_told_once) {
  Gang gang(3);
  gang.out.clear();
  for (int i = 0; i < 3; ++i) gang.of_task("task_waiting", i, "waiting: the queue is full", 2000);
  gang.of_task("task_waiting", 0, "waiting: no host has the label gpu", 3000);
  EXPECT_EQ(gang.out,
            "03:13:22 worker:0 waiting: the queue is full\n"
            "03:13:23 worker:0 waiting: no host has the label gpu\n");
}

TEST(PlainDisplay, the_only_task_is_named_and_its_end_is_that_of_the_job) {
  Gang gang(1);
  gang.start(1);
  gang.of_task("task_succeeded", 0, "succeeded", 90);
  gang.job.state = core::JobState::succeeded;
  gang.out += gang.display.finish(gang.job, frame_at(100));
  EXPECT_EQ(gang.out,
            "03:13:20 mnist-7f3k: MXNet, 1 worker on this machine\n"
            "03:13:20 worker:0 placed on host1 after 4 ms, started after 9 ms\n"
            "03:13:20 mnist-7f3k succeeded in 100 ms\n");
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

TEST(PlainDisplay, a_failure_names_the_task_the_host_the_reason_and_the_logs) {
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
