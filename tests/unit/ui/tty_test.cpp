#include "ui/tty.hpp"

#include "samples.hpp"
#include "support/vt.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tuple>

#include <fmt/format.h>

namespace ydl::ui {
namespace {

using namespace test;
using ydl::test::Vt;

// A display and the terminal it draws on; `at` is milliseconds since the job was submitted.
struct Terminal {
  explicit Terminal(Size window = {}, Style style = {Colour::off, Charset::unicode})
      : size(window), vt(window.columns, window.rows), display({.style = style, .utc_offset = {}}) {}

  void begin(const JobView& job, long at) { vt.write(display.begin(job, frame_at(at, size))); }
  void update(const JobView& job, long at) { vt.write(display.update(job, frame_at(at, size))); }
  void event(const EventView& event, long at) { vt.write(display.event(event, frame_at(at, size))); }
  void log(const LogLine& line, long at) { vt.write(display.log(line, frame_at(at, size))); }
  void failure(const FailureView& failure, long at) { vt.write(display.failure(failure, frame_at(at, size))); }
  void output(std::string_view bytes, long at) { vt.write(display.output(bytes, frame_at(at, size))); }
  void footer(Footer text, long at) { vt.write(display.footer(std::move(text), frame_at(at, size))); }
  void refresh(long at) { vt.write(display.refresh(frame_at(at, size))); }
  void finish(const JobView& job, long at) { vt.write(display.finish(job, frame_at(at, size))); }

  Size size;
  Vt vt;
  TtyDisplay display;
};

JobView many_tasks(int running, int waiting) {
  auto job = mnist();
  job.tasks.clear();
  for (int i = 0; i < running; ++i) job.tasks.push_back(task("worker", i, "running"));
  for (int i = 0; i < waiting; ++i) job.tasks.push_back(task("worker", running + i, "waiting", ""));
  return job;
}

TEST(TtyDisplay, shows_the_job_and_a_line_per_task) {
  Terminal terminal;
  auto job = mnist();
  job.tasks[0].progress = 0.42;
  job.tasks[0].progress_text = "epoch 3/5 loss 0.12";
  job.tasks[1].last_line = "loading shard 7";
  terminal.begin(job, 12'000);
  EXPECT_EQ(terminal.vt.text(),
            "mnist-7f3k: MXNet, 2 workers on this machine\n"
            "mnist-7f3k  running  2 of 2 tasks  12 s\n"
            "● worker:0  running  host1  10 s  ████▏░░░░░ 42% epoch 3/5 loss 0.12\n"
            "● worker:1  running  host2  10 s  loading shard 7\n");
}

TEST(TtyDisplay, a_line_for_ydl_is_not_shown_as_the_last_line) {
  Terminal terminal;
  auto job = mnist();
  job.tasks[0].last_line = "::checkpoint";
  job.tasks[1].state = core::TaskState::stopping;
  job.tasks[1].progress_text = "epoch 3/5";
  job.tasks[1].last_line = "::progress 3/5 epoch 3/5";
  terminal.begin(job, 12'000);
  const auto text = terminal.vt.text();
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("::")));
  EXPECT_THAT(text, testing::HasSubstr("  epoch 3/5\n"));
}

TEST(TtyDisplay, a_redraw_is_these_bytes) {
  TtyDisplay display({.style = {Colour::on, Charset::unicode}, .utc_offset = {}});
  auto job = mnist();
  job.tasks.resize(1);
  EXPECT_EQ(display.begin(job, frame_at(12'000)),
            "\x1b[?7l"
            "\x1b[K\x1b[1mmnist-7f3k\x1b[0m  \x1b[36mrunning\x1b[0m  1 of 1 task  12 s\r\n"
            "\x1b[K\x1b[36m●\x1b[0m worker:0  \x1b[36mrunning\x1b[0m  host1  10 s\r\n"
            "\x1b[?7h\x1b[J");
  job.tasks[0].last_line = "hi";
  EXPECT_EQ(display.update(job, frame_at(13'000)),
            "\x1b[2A\r\x1b[?7l"
            "\x1b[K\x1b[1mmnist-7f3k\x1b[0m  \x1b[36mrunning\x1b[0m  1 of 1 task  13 s\r\n"
            "\x1b[K\x1b[36m●\x1b[0m worker:0  \x1b[36mrunning\x1b[0m  host1  11 s  \x1b[2mhi\x1b[0m\r\n"
            "\x1b[?7h\x1b[J");
}

// A terminal keeps its cursor on the last character of a full row, and what clears the rest of the row clears that too.
TEST(TtyDisplay, no_row_is_cleared_after_its_text) {
  TtyDisplay display({.style = {Colour::off, Charset::unicode}, .utc_offset = {}});
  auto job = mnist();
  job.tasks[0].last_line = std::string(500, 'x');
  EXPECT_EQ(display.begin(job, frame_at(12'000)).find("\x1b[K\r\n"), std::string::npos);
}

TEST(TtyDisplay, without_colour_or_utf8_nothing_but_ascii_and_cursor_moves_is_sent) {
  TtyDisplay display({.style = {Colour::off, Charset::ascii}, .utc_offset = {}});
  auto job = mnist();
  job.tasks.resize(1);
  job.tasks[0].last_line = std::string(100, 'x');
  EXPECT_EQ(display.begin(job, frame_at(12'000)),
            "\x1b[?7l"
            "\x1b[Kmnist-7f3k  running  1 of 1 task  12 s\r\n"
            "\x1b[K* worker:0  running  host1  10 s  " +
                std::string(43, 'x') +
                "...\r\n"
                "\x1b[?7h\x1b[J");
}

TEST(TtyDisplay, growing_and_shrinking_task_lists_leave_no_trace) {
  Terminal terminal;
  terminal.begin(many_tasks(2, 3), 2000);
  terminal.update(many_tasks(5, 3), 3000);
  terminal.update(many_tasks(1, 0), 4000);
  EXPECT_EQ(terminal.vt.text(),
            "mnist-7f3k: MXNet, 5 workers on this machine\n"
            "mnist-7f3k  running  1 of 1 task  4 s\n"
            "● worker:0  running  host1  2 s\n");
}

TEST(TtyDisplay, a_40_column_terminal_loses_the_node_first_and_never_wraps) {
  Terminal terminal({40, 24});
  auto job = mnist();
  job.tasks[0].progress = 0.42;
  job.tasks[0].progress_text = "epoch 3/5 loss 0.12";
  job.tasks[1].last_line = "读取数据 shard 数据集";
  job.tasks.push_back(task("parameter-server", 11, "waiting", ""));
  job.tasks[2].reason = "no node has 2 GPUs free";
  terminal.begin(job, 12'000);
  EXPECT_EQ(terminal.vt.screen(),
            "mnist-7f3k: MXNet, 2 workers and 1 param\n"
            "eter-server on this machine\n"
            "mnist-7f3k  running  2 of 3 tasks  12 s\n"
            "● worker:0       running  10 s  42% epo…\n"
            "● worker:1       running  10 s  读取数…\n"
            "· parameter-se…  waiting        no node…\n");
  EXPECT_EQ(terminal.vt.cut(), 0);
  EXPECT_TRUE(terminal.vt.wraps());
}

TEST(TtyDisplay, wide_and_combining_characters_are_cut_by_columns) {
  Terminal terminal;
  auto job = mnist();
  for (int i = 0; i < 40; ++i) job.tasks[0].last_line += "数";
  for (int i = 0; i < 80; ++i) job.tasks[1].last_line += "e\u0301";
  terminal.begin(job, 12'000);
  std::string wide;
  std::string accents;
  for (int i = 0; i < 22; ++i) wide += "数";
  for (int i = 0; i < 45; ++i) accents += "e\u0301";
  EXPECT_EQ(terminal.vt.screen(),
            "mnist-7f3k: MXNet, 2 workers on this machine\n"
            "mnist-7f3k  running  2 of 2 tasks  12 s\n"
            "● worker:0  running  host1  10 s  " +
                wide + "…\n" + "● worker:1  running  host2  10 s  " + accents + "…\n");
  EXPECT_EQ(terminal.vt.cut(), 0);
}

TEST(TtyDisplay, what_a_task_writes_cannot_move_the_cursor) {
  Terminal terminal;
  auto job = mnist();
  job.tasks.resize(1);
  job.tasks[0].last_line = "\x1b[2J\x1b[10Aevil\n\u009b5A line\r50%";
  terminal.begin(job, 12'000);
  EXPECT_EQ(terminal.vt.screen(),
            "mnist-7f3k  running  1 of 1 task  12 s\n"
            "● worker:0  running  host1  10 s  50%\n");
}

TEST(TtyDisplay, hosts_that_are_avoided_and_forgiven_are_told) {
  Terminal terminal;
  terminal.begin(mnist(), 2000);
  for (const auto& [seq, kind, text] :
       {std::tuple{1, "host_avoided", "node2 is avoided until 14:10: 2 containers lost"},
        std::tuple{2, "host_forgiven", "node2 may be used again"}}) {
    auto of_job = event(static_cast<std::uint64_t>(seq), kind, text);
    of_job.task.reset();
    terminal.event(of_job, 2000 + 200L * seq);
  }
  EXPECT_THAT(terminal.vt.text(),
              testing::HasSubstr("03:13:28 mnist-7f3k: node2 is avoided until 14:10: 2 containers lost\n"
                                 "03:13:28 mnist-7f3k: node2 may be used again\n"));
}

TEST(TtyDisplay, events_that_matter_scroll_above_the_block_whole_and_once) {
  Terminal terminal({40, 24});
  auto job = mnist();
  job.tasks.resize(1);
  terminal.begin(job, 2000);
  terminal.event(event(1, "task_running", "running on host1"), 2200);
  terminal.event(event(2, "task_retry", "ended with code 3; it is tried again, 1 of 3"), 2400);
  terminal.event(event(2, "task_retry", "ended with code 3; it is tried again, 1 of 3"), 2600);
  terminal.update(job, 3000);
  EXPECT_EQ(terminal.vt.text(),
            "03:13:28 worker:0 ended with code 3; it\n"
            "is tried again, 1 of 3\n"
            "mnist-7f3k  running  1 of 1 task  3 s\n"
            "● worker:0  running  1 s\n");
}

TEST(TtyDisplay, log_lines_scroll_out_of_a_small_screen_into_its_history) {
  Terminal terminal({80, 6});
  auto job = mnist();
  job.tasks.resize(1);
  terminal.begin(job, 2000);
  std::string expected;
  for (int i = 0; i < 20; ++i) {
    terminal.log({{"worker", 0}, "stdout", "line " + std::to_string(i)}, 2000 + i * 30);
    expected += "worker:0 │ line " + std::to_string(i) + "\n";
  }
  terminal.refresh(2700);
  EXPECT_EQ(terminal.vt.text(), expected + "mnist-7f3k  running  1 of 1 task  2 s\n● worker:0  running  host1  0 s\n");
}

TEST(TtyDisplay, more_tasks_than_rows_show_failures_first_and_count_the_rest) {
  Terminal terminal({80, 10});
  auto job = many_tasks(240, 10);
  job.tasks[100].state = core::TaskState::failed;
  job.tasks[100].reason = "ended with code 3";
  job.tasks[200].last_line = "I speak";
  terminal.begin(job, 2000);
  job.tasks[200].last_line = "I spoke";
  terminal.update(job, 3000);
  EXPECT_EQ(terminal.vt.screen(),
            "mnist-7f3k: MXNet, 250 workers on this machine\n"
            "mnist-7f3k  running  239 of 250 tasks  3 s\n"
            "✗ worker:100  failed   host1  1 s  ended with code 3\n"
            "● worker:200  running  host1  1 s  I spoke\n"
            "● worker:0    running  host1  1 s\n"
            "● worker:1    running  host1  1 s\n"
            "● worker:2    running  host1  1 s\n"
            "● worker:3    running  host1  1 s\n"
            "… and 244 more: 234 running, 10 waiting\n");
  terminal.update(job, 14'000);
  EXPECT_EQ(terminal.vt.screen().find("worker:200"), std::string::npos) << "ten silent seconds end the privilege";
}

TEST(TtyDisplay, tasks_that_just_fit_keep_their_order_and_need_no_count) {
  Terminal terminal({80, 10});
  auto job = many_tasks(6, 1);
  job.tasks[3].state = core::TaskState::failed;
  terminal.begin(job, 2000);
  EXPECT_EQ(terminal.vt.screen(),
            "mnist-7f3k: MXNet, 7 workers on this machine\n"
            "mnist-7f3k  running  5 of 7 tasks  2 s\n"
            "● worker:0  running  host1  0 s\n"
            "● worker:1  running  host1  0 s\n"
            "● worker:2  running  host1  0 s\n"
            "✗ worker:3  failed   host1  0 s\n"
            "● worker:4  running  host1  0 s\n"
            "● worker:5  running  host1  0 s\n"
            "· worker:6  waiting\n");
}

TEST(TtyDisplay, a_screen_of_any_height_holds_the_block) {
  for (int rows = 2; rows <= 8; ++rows) {
    Terminal terminal({80, rows});
    terminal.begin(many_tasks(20, 0), 2000);
    terminal.update(many_tasks(20, 0), 3000);
    terminal.update(many_tasks(20, 0), 4000);
    const auto text = terminal.vt.text();
    EXPECT_EQ(text.find("tasks  2 s"), std::string::npos) << rows << ":\n" << text;
    EXPECT_EQ(text.find("tasks  3 s"), std::string::npos) << rows << ":\n" << text;
    EXPECT_NE(text.find("tasks  4 s"), std::string::npos) << rows << ":\n" << text;
  }
}

TEST(TtyDisplay, a_window_made_narrower_is_redrawn_from_the_blocks_first_row) {
  Terminal terminal({80, 24});
  auto job = mnist();
  job.tasks[1].last_line = "a line that is long enough to be folded by a window";
  terminal.begin(job, 12'000);
  terminal.vt.resize(40);
  terminal.size.columns = 40;
  terminal.refresh(12'500);
  EXPECT_EQ(terminal.vt.text(),
            "mnist-7f3k: MXNet, 2 workers on this mac\n"
            "hine\n"
            "mnist-7f3k  running  2 of 2 tasks  12 s\n"
            "● worker:0  running  10 s\n"
            "● worker:1  running  10 s  a line that …\n");
  terminal.vt.resize(80);
  terminal.size.columns = 80;
  terminal.refresh(13'000);
  EXPECT_NE(terminal.vt.screen().find("● worker:1  running  host2  11 s  a line that is long enough"),
            std::string::npos);
}

TEST(TtyDisplay, redraws_are_at_least_100_ms_apart_and_the_last_change_is_not_lost) {
  TtyDisplay display({});
  auto job = mnist();
  EXPECT_FALSE(display.next_refresh(frame_at(0).steady));
  EXPECT_NE(display.begin(job, frame_at(1000)), "");
  EXPECT_EQ(display.next_refresh(frame_at(1000).steady), core::Millis(500));
  job.tasks[0].last_line = "news";
  EXPECT_EQ(display.update(job, frame_at(1040)), "");
  EXPECT_EQ(display.next_refresh(frame_at(1040).steady), core::Millis(60));
  EXPECT_EQ(display.log({{"worker", 0}, "stdout", "more"}, frame_at(1099)), "");
  EXPECT_EQ(display.next_refresh(frame_at(1300).steady), core::Millis(0));
  const auto drawn = display.refresh(frame_at(1100));
  EXPECT_NE(drawn.find("news"), std::string::npos);
  EXPECT_NE(drawn.find("worker:0 │ more\r\n"), std::string::npos);
  EXPECT_EQ(display.next_refresh(frame_at(1100).steady), core::Millis(500));
}

TEST(TtyDisplay, a_refresh_that_changes_nothing_writes_nothing) {
  TtyDisplay display({});
  (void)display.begin(mnist(), frame_at(12'000));
  EXPECT_EQ(display.refresh(frame_at(12'500)), "");
  EXPECT_NE(display.refresh(frame_at(13'000)), "");
}

TEST(TtyDisplay, finish_leaves_the_failure_the_tasks_and_one_summary) {
  Terminal terminal;
  auto job = mnist();
  terminal.begin(job, 2000);
  terminal.failure(bad_data_dir(), 41'000);
  job.state = core::JobState::failed;
  job.reason = "worker:1 ended with code 3 on host2";
  job.finished = wall("03:14:01.000");
  job.logs_path = "/jobs/mnist-7f3k/logs";
  job.tasks[0].state = core::TaskState::stopped;
  job.tasks[0].ran_for = core::Millis(39'100);
  job.tasks[1].state = core::TaskState::failed;
  job.tasks[1].reason = "ended with code 3";
  job.tasks[1].ran_for = core::Millis(8'250);
  terminal.finish(job, 41'050);
  EXPECT_EQ(terminal.vt.text(),
            "mnist-7f3k: MXNet, 2 workers on this machine\n"
            "worker:1 on host2 failed first: ended with code 3\n"
            "    Traceback (most recent call last):\n"
            "            main()\n"
            "    ValueError: no such directory: 数据\n"
            "log: /jobs/mnist-7f3k/worker-1.stderr\n"
            "more: ydl logs mnist-7f3k worker:1\n"
            "■ worker:0  stopped  host1   39 s\n"
            "✗ worker:1  failed   host2  8.2 s  ended with code 3\n"
            "✗ mnist-7f3k failed after 41 s: worker:1 ended with code 3 on host2    logs: ydl\n"
            " logs mnist-7f3k\n");
  EXPECT_EQ(terminal.vt.column(), 0);
  EXPECT_TRUE(terminal.vt.wraps());
}

TEST(TtyDisplay, finish_leaves_the_last_line_of_each_task) {
  Terminal terminal;
  auto job = mnist();
  terminal.begin(job, 2000);
  job.state = core::JobState::succeeded;
  job.finished = wall("03:13:50.000");
  job.results_path = "/jobs/mnist-7f3k/results";
  for (auto& task : job.tasks) {
    task.state = core::TaskState::succeeded;
    task.ran_for = core::Millis(28'000);
    task.node = "host1";
    task.last_line = "Epoch[4] Validation-accuracy=0.975400";
  }
  job.tasks.push_back(task("server", 0, "stopped"));
  job.tasks[2].reason = "the job is stopping";
  terminal.finish(job, 30'000);
  EXPECT_EQ(terminal.vt.text(),
            "mnist-7f3k: MXNet, 2 workers on this machine\n"
            "✓ worker:0  succeeded  28 s  Epoch[4] Validation-accuracy=0.975400\n"
            "✓ worker:1  succeeded  28 s  Epoch[4] Validation-accuracy=0.975400\n"
            "■ server:0  stopped          the job is stopping\n"
            "✓ mnist-7f3k succeeded in 30 s    logs: ydl logs mnist-7f3k\n"
            "results: /jobs/mnist-7f3k/results\n");
}

TEST(TtyDisplay, where_all_tasks_succeeded_on_one_host_neither_is_repeated) {
  auto job = mnist("succeeded");
  for (auto& task : job.tasks) {
    task.state = core::TaskState::succeeded;
    task.node = "host1";
    task.ran_for = core::Millis(30'000);
    task.last_line = "accuracy=0.9754";
  }
  job.tasks[1].last_line = "::progress 1.0 done";
  job.tasks[1].progress_text = "done";
  const auto lines = final_task_lines(job, frame_at(12'000), {}, Talkers(), 5);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].whole({}), "✓ worker:0  30 s  accuracy=0.9754");
  EXPECT_EQ(lines[1].whole({}), "✓ worker:1  30 s  done");
}

// ---- the only task of a job ------------------------------------------------------------------------------------

JobView alone(std::string_view state = "running") {
  auto job = mnist(state);
  job.tasks.resize(1);
  return job;
}

TEST(TtyDisplay, the_bytes_of_the_only_task_take_the_place_of_the_block) {
  TtyDisplay display({.style = {Colour::off, Charset::unicode}, .utc_offset = {}});
  (void)display.begin(alone(), frame_at(2000));
  EXPECT_EQ(display.output("\x1b[32m10%\r", frame_at(2100)), "\r\x1b[J\x1b[1A\x1b[K\x1b[1A\x1b[K\x1b[32m10%\r");
  EXPECT_EQ(display.update(alone(), frame_at(3000)), "");
  EXPECT_EQ(display.refresh(frame_at(4000)), "");
  EXPECT_EQ(display.output("20%\n", frame_at(4100)), "20%\n");
}

TEST(TtyDisplay, a_job_of_one_task_ends_with_its_output_and_one_line) {
  Terminal terminal;
  auto job = alone();
  terminal.begin(job, 2000);
  terminal.output("hello\r\nno newline", 2100);
  job = alone("succeeded");
  job.finished = wall("03:13:22.200");
  terminal.finish(job, 2200);
  EXPECT_EQ(terminal.vt.text(),
            "hello\n"
            "no newline\n"
            "✓ mnist-7f3k succeeded in 2.2 s    logs: ydl logs mnist-7f3k\n");
}

TEST(TtyDisplay, colours_that_the_only_task_left_on_end_before_our_line) {
  TtyDisplay display({.style = {Colour::on, Charset::unicode}, .utc_offset = {}});
  (void)display.begin(alone(), frame_at(2000));
  (void)display.output("\x1b[31mred\n", frame_at(2100));
  EXPECT_TRUE(display.finish(alone("succeeded"), frame_at(2200)).starts_with("\x1b[0m"));
}

TEST(TtyDisplay, events_start_on_a_row_of_their_own) {
  Terminal terminal;
  terminal.begin(alone(), 2000);
  terminal.output("half a line", 2100);
  terminal.event(event(1, "task_retry", "restarting (attempt 2 of 3)"), 2300);
  terminal.refresh(2400);
  terminal.output("second attempt\r\n", 2500);
  EXPECT_EQ(terminal.vt.text(),
            "half a line\n"
            "03:13:28 worker:0 restarting (attempt 2 of 3)\n"
            "second attempt\n");
}

TEST(TtyDisplay, a_failure_of_the_only_task_is_not_shown_twice) {
  Terminal terminal;
  terminal.begin(alone(), 2000);
  terminal.output("the cause\r\n", 2100);
  terminal.event(event(1, "task_failed", "ended with code 3"), 2150);
  terminal.failure(bad_data_dir(), 2200);
  auto job = alone("failed");
  job.reason = "worker:0 ended with code 3";
  job.finished = wall("03:13:22.200");
  terminal.finish(job, 2300);
  EXPECT_EQ(terminal.vt.text(),
            "the cause\n"
            "✗ mnist-7f3k failed after 2.2 s: worker:0 ended with code 3    logs: ydl logs mn\n"
            "ist-7f3k\n");
}

TEST(TtyDisplay, a_failure_of_the_only_task_is_told_where_another_attempt_follows) {
  Terminal terminal;
  terminal.begin(alone(), 2000);
  terminal.output("the cause\r\n", 2100);
  terminal.event(event(1, "task_failed", "failed with exit code 3"), 2300);
  terminal.refresh(2500);
  EXPECT_EQ(terminal.vt.text(), "the cause\n");
  terminal.event(event(2, "task_retry", "restarting (retry 1 of 2)"), 2700);
  EXPECT_EQ(terminal.vt.text(),
            "the cause\n"
            "03:13:28 worker:0 failed with exit code 3\n"
            "03:13:28 worker:0 restarting (retry 1 of 2)\n");
}

// ---- the row below the block -----------------------------------------------------------------------------------

TEST(TtyDisplay, a_footer_is_the_last_row_while_the_block_goes_on) {
  Terminal terminal;
  const auto job = mnist();
  terminal.begin(job, 2000);
  terminal.footer({"Stop the job?"}, 2010);
  terminal.log({{"worker", 0}, "stdout", "a line"}, 2200);
  terminal.update(job, 3000);
  EXPECT_EQ(terminal.vt.text(),
            "mnist-7f3k: MXNet, 2 workers on this machine\n"
            "worker:0 │ a line\n"
            "mnist-7f3k  running  2 of 2 tasks  3 s\n"
            "● worker:0  running  host1  1 s\n"
            "● worker:1  running  host2  1 s\n"
            "Stop the job?\n");
  terminal.footer({}, 3010);
  EXPECT_EQ(terminal.vt.text(),
            "mnist-7f3k: MXNet, 2 workers on this machine\n"
            "worker:0 │ a line\n"
            "mnist-7f3k  running  2 of 2 tasks  3 s\n"
            "● worker:0  running  host1  1 s\n"
            "● worker:1  running  host2  1 s\n");
}

TEST(TtyDisplay, a_footer_below_the_output_of_the_only_task_leaves_no_trace) {
  Terminal terminal;
  terminal.begin(alone(), 2000);
  terminal.output("half a line", 2100);
  terminal.footer({"Stop the job?"}, 2200);
  EXPECT_EQ(terminal.vt.text(), "half a line\nStop the job?\n");
  terminal.footer({"stopping"}, 2300);
  EXPECT_EQ(terminal.vt.text(), "half a line\nstopping\n");
  terminal.output("and ", 2400);
  terminal.refresh(2600);
  terminal.output("more\r\n", 2700);
  EXPECT_EQ(terminal.vt.text(), "half a line\nand more\nstopping\n");
  terminal.footer({}, 2800);
  EXPECT_EQ(terminal.vt.text(), "half a line\nand more\n");
}

TEST(TtyDisplay, a_footer_is_shown_in_the_length_that_fits) {
  for (const auto& [columns, text] : {std::pair(80, "Stop the job? yes no"), std::pair(10, "yes no"), {4, "yes…"}}) {
    Terminal terminal({columns, 6});
    terminal.begin(many_tasks(20, 0), 2000);
    terminal.footer({"Stop the job? yes no", "yes no"}, 2010);
    EXPECT_TRUE(terminal.vt.screen().ends_with(fmt::format("\n{}\n", text))) << terminal.vt.screen();
  }
}

TEST(TtyDisplay, a_footer_fits_a_screen_of_any_height) {
  for (int rows = 2; rows <= 8; ++rows) {
    Terminal terminal({80, rows});
    terminal.begin(many_tasks(20, 0), 2000);
    terminal.footer({"Stop the job?"}, 2010);
    terminal.update(many_tasks(20, 0), 3000);
    terminal.update(many_tasks(20, 0), 4000);
    terminal.footer({}, 4010);
    const auto text = terminal.vt.text();
    EXPECT_EQ(text.find("Stop"), std::string::npos) << rows << ":\n" << text;
    EXPECT_EQ(text.find("tasks  3 s"), std::string::npos) << rows << ":\n" << text;
  }
}

// ---- the lines of tasks ----------------------------------------------------------------------------------------

TEST(TtyDisplay, lines_that_are_left_out_are_counted) {
  Terminal terminal;
  terminal.begin(mnist(), 2000);
  for (int i = 0; i < 1334; ++i) terminal.log({{"worker", 0}, "stdout", "line " + std::to_string(i)}, 2000);
  terminal.refresh(2500);
  EXPECT_EQ(terminal.vt.text().find("left out"), std::string::npos);
  terminal.refresh(3000);
  EXPECT_THAT(
      terminal.vt.text(),
      testing::HasSubstr("worker:0 │ line 99\n… 1,234 lines left out; ydl logs mnist-7f3k worker:0 shows them\n"));
  for (int i = 0; i < 21; ++i) terminal.log({{"worker", i % 2}, "stdout", "more"}, 3000);
  terminal.finish(mnist("succeeded"), 3010);
  EXPECT_THAT(terminal.vt.text(), testing::HasSubstr("… 1 line left out; ydl logs mnist-7f3k worker:0 shows it\n"));
}

TEST(TtyDisplay, abort_takes_the_block_away_and_a_later_update_draws_a_new_one) {
  Terminal terminal;
  auto job = mnist();
  job.tasks.resize(1);
  terminal.begin(job, 2000);
  terminal.log({{"worker", 0}, "stdout", "waiting to be shown"}, 2010);
  terminal.vt.write(terminal.display.abort(frame_at(2020)));
  terminal.vt.write("the job's master does not answer\r\n");
  terminal.update(job, 2050);
  EXPECT_EQ(terminal.vt.text(),
            "worker:0 │ waiting to be shown\n"
            "the job's master does not answer\n"
            "mnist-7f3k  running  1 of 1 task  2 s\n"
            "● worker:0  running  host1  0 s\n");
}

TEST(TtyDisplay, a_job_without_tasks_yet_is_one_row_with_a_clock) {
  Terminal terminal;
  JobView job;
  job.id = "first-22f4";
  job.state = core::Named<core::JobState>::parse("waiting for its master (ACCEPTED)");
  job.submitted = wall("03:13:20.000");
  terminal.update(job, 1000);
  terminal.refresh(2000);
  EXPECT_EQ(terminal.vt.text(), "first-22f4  waiting for its master (ACCEPTED)  2 s\n");
  terminal.begin(mnist(), 3000);
  EXPECT_EQ(terminal.vt.text(),
            "mnist-7f3k: MXNet, 2 workers on this machine\n"
            "mnist-7f3k  running  2 of 2 tasks  3 s\n"
            "● worker:0  running  host1  1 s\n"
            "● worker:1  running  host2  1 s\n");
}

TEST(TtyDisplay, the_title_says_what_runs_and_where) {
  const auto title = [](const JobView& job) { return begin_line(job).whole({}); };
  auto job = mnist();
  job.where = "YARN";
  job.queue = "default";
  job.tasks.push_back(task("server", 0, "waiting"));
  job.tasks.push_back(task("server", 1, "waiting"));
  EXPECT_EQ(title(job), "mnist-7f3k: MXNet, 2 workers and 2 servers on YARN, queue default");
  job = mnist();
  job.framework = "none";
  EXPECT_EQ(title(job), "mnist-7f3k: 2 workers on this machine");
  job.framework = "tensorflow";
  job.tasks = {task("chief", 0, "waiting"), task("worker", 0, "waiting"), task("worker", 1, "waiting"),
               task("ps", 0, "waiting"), task("ps", 1, "waiting")};
  EXPECT_EQ(title(job), "mnist-7f3k: TensorFlow, 1 chief, 2 workers and 2 ps on this machine");
  job.framework = "of tomorrow";
  job.tasks.resize(2);
  job.elastic = {{.name = "worker", .least = 1, .most = 8, .tasks = 1}};
  EXPECT_EQ(title(job), "mnist-7f3k: of tomorrow, 1 chief and 1 to 8 workers on this machine");
}

TEST(TtyDisplay, the_header_counts_what_the_state_is_about) {
  const auto header = [](JobView job) { return header_line(job, frame_at(12'000)).whole({}); };
  auto job = mnist("placing");
  job.tasks[0].state = core::TaskState::placed;
  job.tasks[1].state = core::TaskState::waiting;
  job.reason = "no node has 2 GPUs free";
  EXPECT_EQ(header(job), "mnist-7f3k  placing  1 of 2 tasks placed  12 s  no node has 2 GPUs free");
  job = mnist("starting");
  job.tasks[1].state = core::TaskState::starting;
  EXPECT_EQ(header(job), "mnist-7f3k  starting  1 of 2 tasks running  12 s");
  job = mnist("finishing");
  job.tasks[1].state = core::TaskState::succeeded;
  EXPECT_EQ(header(job), "mnist-7f3k  finishing  1 of 2 tasks done  12 s");
  job.name = "other";
  EXPECT_EQ(header(job), "other (mnist-7f3k)  finishing  1 of 2 tasks done  12 s");
}

TEST(TtyDisplay, the_header_tells_how_far_the_job_is_and_what_it_still_takes) {
  auto job = mnist();
  job.progress = 0.4;
  job.left = core::Seconds(360);
  const auto header = [&](int columns) {
    return header_line(job, frame_at(240'000, {columns, 24})).cut_to(columns, {});
  };
  EXPECT_EQ(header(80), "mnist-7f3k  running  2 of 2 tasks  4 min  ████░░░░░░ 40%  about 6 min left");
  EXPECT_EQ(header(70), "mnist-7f3k  running  2 of 2 tasks  4 min  40%  about 6 min left");
  EXPECT_EQ(header(50), "mnist-7f3k  running  2 of 2 tasks  4 min  40%");
  EXPECT_EQ(header_line(job, frame_at(240'000, {80, 24}), Charset::ascii).whole({}),
            "mnist-7f3k  running  2 of 2 tasks  4 min  [####------] 40%  about 6 min left");
  job.left.reset();
  EXPECT_EQ(header(80), "mnist-7f3k  running  2 of 2 tasks  4 min  ████░░░░░░ 40%");
  job.state = core::JobState::finishing;
  EXPECT_EQ(header(80), "mnist-7f3k  finishing  0 of 2 tasks done  4 min");
}

TEST(TtyDisplay, a_second_try_is_seen_in_the_tasks_state) {
  auto job = mnist();
  job.tasks.resize(1);
  job.tasks[0].attempt = 2;
  const auto lines = task_lines(job, frame_at(12'000), {}, Talkers(), 5);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].whole({}), "● worker:0  running, attempt 2  host1  10 s");
}

}  // namespace
}  // namespace ydl::ui
