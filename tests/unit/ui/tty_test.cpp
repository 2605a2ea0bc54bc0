#include "ui/tty.hpp"

#include "samples.hpp"
#include "support/vt.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tuple>

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
            "mnist-7f3k: mxnet job of 2 tasks on this machine\n"
            "mnist-7f3k  running  2 of 2 tasks  12 s\n"
            "● worker:0  running  host1  10 s  ████▏░░░░░ 42% epoch 3/5 loss 0.12\n"
            "● worker:1  running  host2  10 s  loading shard 7\n");
}

TEST(TtyDisplay, a_redraw_is_these_bytes) {
  TtyDisplay display({.style = {Colour::on, Charset::unicode}, .utc_offset = {}});
  auto job = mnist();
  job.tasks.resize(1);
  EXPECT_EQ(display.begin(job, frame_at(12'000)),
            "\x1b[1mmnist-7f3k\x1b[0m: mxnet job of 1 task on this machine\r\n"
            "\x1b[?7l"
            "\x1b[1mmnist-7f3k\x1b[0m  \x1b[36mrunning\x1b[0m  1 of 1 task  12 s\x1b[K\r\n"
            "\x1b[36m●\x1b[0m worker:0  \x1b[36mrunning\x1b[0m  host1  10 s\x1b[K\r\n"
            "\x1b[?7h\x1b[J");
  job.tasks[0].last_line = "hi";
  EXPECT_EQ(display.update(job, frame_at(13'000)),
            "\x1b[2A\r\x1b[?7l"
            "\x1b[1mmnist-7f3k\x1b[0m  \x1b[36mrunning\x1b[0m  1 of 1 task  13 s\x1b[K\r\n"
            "\x1b[36m●\x1b[0m worker:0  \x1b[36mrunning\x1b[0m  host1  11 s  \x1b[2mhi\x1b[0m\x1b[K\r\n"
            "\x1b[?7h\x1b[J");
}

TEST(TtyDisplay, without_colour_or_utf8_nothing_but_ascii_and_cursor_moves_is_sent) {
  TtyDisplay display({.style = {Colour::off, Charset::ascii}, .utc_offset = {}});
  auto job = mnist();
  job.tasks.resize(1);
  job.tasks[0].last_line = std::string(100, 'x');
  EXPECT_EQ(display.begin(job, frame_at(12'000)),
            "mnist-7f3k: mxnet job of 1 task on this machine\r\n"
            "\x1b[?7l"
            "mnist-7f3k  running  1 of 1 task  12 s\x1b[K\r\n"
            "* worker:0  running  host1  10 s  " +
                std::string(43, 'x') +
                "...\x1b[K\r\n"
                "\x1b[?7h\x1b[J");
}

TEST(TtyDisplay, growing_and_shrinking_task_lists_leave_no_trace) {
  Terminal terminal;
  terminal.begin(many_tasks(2, 3), 2000);
  terminal.update(many_tasks(5, 3), 3000);
  terminal.update(many_tasks(1, 0), 4000);
  EXPECT_EQ(terminal.vt.text(),
            "mnist-7f3k: mxnet job of 5 tasks on this machine\n"
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
            "mnist-7f3k: mxnet job of 3 tasks on this\n"
            " machine\n"
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
            "mnist-7f3k: mxnet job of 2 tasks on this machine\n"
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
            "mnist-7f3k: mxnet job of 1 task on this machine\n"
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
            "mnist-7f3k: mxnet job of 1 task on this\n"
            "machine\n"
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
  std::string expected = "mnist-7f3k: mxnet job of 1 task on this machine\n";
  for (int i = 0; i < 20; ++i) {
    terminal.log({{"worker", 0}, "stdout", "line " + std::to_string(i)}, 2000 + i * 30);
    expected += "[worker:0] line " + std::to_string(i) + "\n";
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
            "mnist-7f3k: mxnet job of 250 tasks on this machine\n"
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
            "mnist-7f3k: mxnet job of 7 tasks on this machine\n"
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
            "mnist-7f3k: mxnet job of 2 tasks on this\n"
            " machine\n"
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
  EXPECT_NE(drawn.find("[worker:0] more\r\n"), std::string::npos);
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
            "mnist-7f3k: mxnet job of 2 tasks on this machine\n"
            "worker:1 on host2 failed first: ended with code 3\n"
            "    Traceback (most recent call last):\n"
            "            main()\n"
            "    ValueError: no such directory: 数据\n"
            "log: /jobs/mnist-7f3k/worker-1.stderr\n"
            "more: ydl logs mnist-7f3k worker:1\n"
            "■ worker:0  stopped  host1   39 s\n"
            "✗ worker:1  failed   host2  8.2 s  ended with code 3\n"
            "mnist-7f3k failed after 41 s: worker:1 ended with code 3 on host2\n"
            "logs: /jobs/mnist-7f3k/logs\n");
  EXPECT_EQ(terminal.vt.column(), 0);
  EXPECT_TRUE(terminal.vt.wraps());
}

TEST(TtyDisplay, abort_leaves_the_block_and_a_later_update_draws_a_new_one_below) {
  Terminal terminal;
  auto job = mnist();
  job.tasks.resize(1);
  terminal.begin(job, 2000);
  terminal.log({{"worker", 0}, "stdout", "waiting to be shown"}, 2010);
  terminal.vt.write(terminal.display.abort(frame_at(2020)));
  terminal.vt.write("Ctrl-C: [s]top, [c]ontinue? c\r\n");
  terminal.update(job, 2050);
  EXPECT_EQ(terminal.vt.text(),
            "mnist-7f3k: mxnet job of 1 task on this machine\n"
            "[worker:0] waiting to be shown\n"
            "mnist-7f3k  running  1 of 1 task  2 s\n"
            "● worker:0  running  host1  0 s\n"
            "Ctrl-C: [s]top, [c]ontinue? c\n"
            "mnist-7f3k  running  1 of 1 task  2 s\n"
            "● worker:0  running  host1  0 s\n");
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
  EXPECT_EQ(lines[0].whole({}), "● worker:0  running, try 2  host1  10 s");
}

}  // namespace
}  // namespace ydl::ui
