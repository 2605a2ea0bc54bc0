#include "cli/commands/status_text.hpp"

#include "cli/commands/status_table.hpp"
#include "core/strings.hpp"
#include "ui/screen.hpp"
#include "ui/text.hpp"
#include "ui/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

core::WallTime wall(std::string_view clock) {
  return *core::parse_utc("2026-11-15T" + std::string(clock) + "Z");
}

// In a pipe unless the test asks for a screen.
std::string text_of(const ui::JobView& job, int columns = 0, ui::Charset charset = ui::Charset::unicode) {
  return status_text(
      job, {.now = wall("03:17:20.000"), .columns = columns, .style = {.colour = ui::Colour::off, .charset = charset}});
}

ui::JobView training() {
  ui::JobView job;
  job.id = "mnist-a022";
  job.name = "mnist";
  job.framework = "mxnet";
  job.where = "YARN";
  job.queue = "ml";
  job.state = core::JobState::running;
  job.submitted = wall("03:13:20.000");
  job.progress = 0.31;
  job.left = core::Seconds(360);
  job.logs_path = "hdfs://mycluster/user/ann/.ydl/jobs/mnist-a022/logs";
  job.results_path = "/user/ann/results";
  job.commands = {{"worker", {"python", "train_mnist.py", "--kv-store", "dist_sync"}}};
  for (int i = 0; i < 2; ++i) {
    auto& task = job.tasks.emplace_back();
    task.id = {"worker", i};
    task.state = core::TaskState::running;
    task.node = i == 0 ? "node3" : "node7";
    task.running_since = i == 0 ? job.submitted : wall("03:16:20.000");
    task.progress = i == 0 ? 0.4 : 0.31;
    task.cpu_percent = i == 0 ? 97 : 12;
    task.memory_bytes = (i == 0 ? 1126 : 410) * kMiB;
    task.memory_limit = 2048 * kMiB;
    task.quiet = core::Seconds(i == 0 ? 1 : 48);
  }
  job.tasks[0].progress_text = "epoch 2/5";
  job.tasks[0].last_line = "Epoch[1] Batch [80-100] Speed: 8412.31";
  job.tasks[1].attempt = 2;
  return job;
}

TEST(StatusText, of_a_running_job_is_this) {
  EXPECT_EQ(
      text_of(training(), 120),
      "mnist-a022  running 4 min, about 6 min left                                                      "
      "MXNet on YARN, queue ml\n"
      "python train_mnist.py --kv-store dist_sync\n"
      "\n"
      "TASK      STATE               HOST     RAN  PROGRESS                  CPU          MEMORY  LAST LINE\n"
      "worker:0  running             node3  4 min  ████░░░░░░ 40% epoch 2/5  97%  1.1 of 2.0 GiB  Epoch[1] Batch "
      "[80-100] Spee…\n"
      "worker:1  running, attempt 2  node7  1 min  ███░░░░░░░ 31%            12%  0.4 of 2.0 GiB  silent for 48 s\n"
      "\n"
      "submitted  4 min ago\n"
      "logs       hdfs://mycluster/user/ann/.ydl/jobs/mnist-a022/logs\n"
      "results    /user/ann/results\n");
}

TEST(StatusText, on_a_narrow_screen_leaves_out_the_columns_that_matter_least) {
  EXPECT_THAT(text_of(training(), 80),
              StartsWith("mnist-a022  running 4 min, about 6 min left              MXNet on YARN, queue ml\n"
                         "python train_mnist.py --kv-store dist_sync\n"
                         "\n"
                         "TASK      STATE                 RAN  PROGRESS       LAST LINE\n"
                         "worker:0  running             4 min  40% epoch 2/5  Epoch[1] Batch [80-100] Spe…\n"
                         "worker:1  running, attempt 2  1 min  31%            silent for 48 s\n"));
  auto first_attempts = training();
  first_attempts.tasks[1].attempt = 1;
  EXPECT_THAT(text_of(first_attempts, 80),
              HasSubstr("TASK      STATE    HOST     RAN  PROGRESS               MEMORY  LAST LINE\n"
                        "worker:0  running  node3  4 min  40% epoch 2/5  1.1 of 2.0 GiB  Epoch[1] Batch …\n"));
  EXPECT_THAT(text_of(training(), 40), StartsWith("mnist-a022\n"
                                                  "running 4 min, about 6 min left\n"
                                                  "MXNet on YARN, queue ml\n"
                                                  "python train_mnist.py --kv-store dist_s…\n"
                                                  "\n"
                                                  "TASK      STATE       PROGRESS\n"
                                                  "worker:0  running     40% epoch 2/5\n"
                                                  "  Epoch[1] Batch [80-100] Speed: 8412.31\n"
                                                  "worker:1  running #2  31%\n"
                                                  "  silent for 48 s\n"));
  for (int columns = 1; columns <= 130; ++columns) {
    auto job = training();
    job.logs_path = job.results_path = "";  // a path can be copied: it is never cut
    for (const auto line : core::split(text_of(job, columns), '\n')) {
      if (line.starts_with("submitted") || line.starts_with("logs") || line.starts_with("results")) continue;
      EXPECT_LE(ui::display_width(line), columns) << line;
    }
  }
}

TEST(StatusText, has_no_column_in_which_no_task_has_a_value) {
  auto job = training();
  for (auto& task : job.tasks) {
    task.progress.reset();
    task.cpu_percent.reset();
    task.memory_bytes.reset();
    task.last_line.clear();
    task.quiet.reset();
    task.attempt = 1;
  }
  EXPECT_THAT(text_of(job, 80), HasSubstr("TASK      STATE    HOST     RAN\n"
                                          "worker:0  running  node3  4 min\n"));
}

TEST(StatusText, without_unicode_has_plain_bars) {
  EXPECT_THAT(text_of(training(), 120, ui::Charset::ascii), HasSubstr("  [####------] 40% epoch 2/5  "));
}

TEST(StatusText, of_a_job_that_has_ended_says_how_and_when) {
  auto job = training();
  job.state = core::JobState::failed;
  job.finished = wall("03:14:01.000");
  job.reason = "worker:1 failed first, with exit code 3";
  job.tasks.resize(1);
  job.tasks[0] = {};
  job.tasks[0].id = {"worker", 1};
  job.tasks[0].state = core::TaskState::failed;
  job.tasks[0].ran_for = core::Seconds(40);
  job.tasks[0].reason = "exit code 3";
  job.tasks[0].last_line = "Traceback";
  EXPECT_THAT(text_of(job), StartsWith("mnist-a022  failed after 41 s  MXNet on YARN, queue ml\n"
                                       "python train_mnist.py --kv-store dist_sync\n"
                                       "worker:1 failed first, with exit code 3\n"
                                       "\n"
                                       "TASK      STATE    RAN  LAST LINE\n"
                                       "worker:1  failed  40 s  exit code 3\n"));
  job.state = core::JobState::succeeded;
  EXPECT_THAT(text_of(job), StartsWith("mnist-a022  succeeded in 41 s  "));
}

TEST(StatusText, without_time_left_the_first_line_has_the_percentage) {
  auto job = training();
  job.left.reset();
  EXPECT_THAT(text_of(job), StartsWith("mnist-a022  running 4 min, 31%  MXNet on YARN, queue ml\n"));
  job.progress.reset();
  EXPECT_THAT(text_of(job), StartsWith("mnist-a022  running 4 min  MXNet on YARN, queue ml\n"));
  job.framework = "none";
  job.queue.clear();
  job.where = "this machine";
  EXPECT_THAT(text_of(job), StartsWith("mnist-a022  running 4 min  on this machine\n"));
}

TEST(StatusText, commands_of_roles_have_a_line_each_where_they_differ) {
  auto job = training();
  job.commands = {{"worker", {"python", "a b.py"}}, {"ps", {"python", "a b.py"}}};
  EXPECT_THAT(text_of(job), HasSubstr("\npython 'a b.py'\n\n"));
  job.commands[1].words = {"./serve"};
  EXPECT_THAT(text_of(job), HasSubstr("\nworker: python 'a b.py'\nps: ./serve\n\n"));
}

TEST(StatusText, a_task_is_silent_after_thirty_seconds) {
  auto job = training();
  job.tasks[0].quiet = core::Seconds(30);
  EXPECT_THAT(text_of(job), HasSubstr("  Epoch[1] Batch [80-100] Speed: 8412.31\n"));
  job.tasks[0].quiet = core::Seconds(31);
  EXPECT_THAT(text_of(job), HasSubstr("  silent for 31 s, last line: Epoch[1] Batch [80-100] Speed: 8412.31\n"));
  job.tasks[0].last_line = "::progress 2/5 epoch 2";
  EXPECT_THAT(text_of(job), HasSubstr("  silent for 31 s\n")) << "that line is in the column of progress";
}

TEST(StatusText, a_line_that_the_column_of_progress_shows_is_not_repeated) {
  const auto text_after = [](std::string line, std::string progress_text) {
    auto job = training();
    job.tasks[0].last_line = std::move(line);
    job.tasks[0].progress_text = std::move(progress_text);
    job.tasks[1].last_line = "loading";
    job.tasks[1].quiet = core::Seconds(1);
    return text_of(job);
  };
  const auto* const tqdm = "train:  40%|████      | 40/100 [00:12<00:18,  3.5it/s, loss=0.31]";
  EXPECT_THAT(text_after(tqdm, "train, 40/100, loss=0.31"), HasSubstr("1.1 of 2.0 GiB\n"));
  EXPECT_THAT(text_after(tqdm, "epoch 2/5"), HasSubstr("  train:  40%|█")) << "the task reports another progress";
  const auto* const keras = "20/50 [=======>......] - ETA: 3s - loss: 0.31";
  EXPECT_THAT(text_after(keras, "epoch 2/5, 20/50, loss: 0.31"), HasSubstr("1.1 of 2.0 GiB\n"));
  EXPECT_THAT(text_after("::checkpoint", "epoch 2/5"), HasSubstr("1.1 of 2.0 GiB\n"));
}

TEST(StatusText, metrics_have_a_column_where_a_task_reports_them) {
  auto job = training();
  EXPECT_THAT(text_of(job), Not(HasSubstr("METRICS")));
  job.tasks[0].metrics = core::Metrics{120, {{"acc", 0.93333333}, {"loss", std::nullopt}}};
  EXPECT_THAT(text_of(job), HasSubstr("step 120, acc 0.93333, loss nan"));
}

TEST(StatusText, the_bar_of_a_task_that_has_ended_is_its_last_line) {
  auto job = training();
  job.tasks[0].state = core::TaskState::succeeded;
  job.tasks[0].last_line = "100%|██████| 2/2 [00:01<00:00,  3.5it/s]";
  job.tasks[0].progress = 1;
  job.tasks[0].progress_text = "2/2";
  EXPECT_THAT(text_of(job), HasSubstr("  100%|██████| 2/2 "));
}

TEST(StatusText, a_task_that_is_silent_or_has_failed_has_a_colour) {
  auto job = training();
  job.tasks[0].state = core::TaskState::failed;
  const auto text = status_text(job, {.now = wall("03:17:20.000"),
                                      .columns = 120,
                                      .style = {.colour = ui::Colour::on, .charset = ui::Charset::unicode}});
  EXPECT_THAT(text, HasSubstr("\n\x1b[31mworker:0  failed"));
  EXPECT_THAT(text, HasSubstr("\n\x1b[33mworker:1  running, attempt 2"));
}

TEST(StatusText, memory_is_told_in_the_unit_of_its_limit) {
  EXPECT_EQ(memory_text(1126 * kMiB, 2048 * kMiB), "1.1 of 2.0 GiB");
  EXPECT_EQ(memory_text(12 * kMiB, 2048 * kMiB), "12 MiB of 2.0 GiB");
  EXPECT_EQ(memory_text(0, 2048 * kMiB), "0.0 of 2.0 GiB");
  EXPECT_EQ(memory_text(100 * kMiB, 512 * kMiB), "100 of 512 MiB");
  EXPECT_EQ(memory_text(1126 * kMiB, std::nullopt), "1.1 GiB");
}

TEST(StatusText, what_a_master_wrote_does_not_reach_the_terminal_as_commands) {
  const std::string evil = "\x1b]0;owned\x07\x1b[2J";
  ui::JobView job;
  job.id = job.framework = job.where = job.reason = job.logs_path = job.results_path = job.queue = "x" + evil;
  job.commands = {{evil, {evil}}, {evil, {}}};
  ui::TaskView task;
  task.id = {"worker", 0};
  task.state = core::TaskState::running;
  task.progress = 0.5;
  task.node = task.last_line = task.progress_text = evil;
  job.tasks = {task};
  for (const int columns : {0, 40, 120}) {
    const auto text = text_of(job, columns);
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\x07")));
    EXPECT_THAT(text, HasSubstr("logs       x\n"));
  }
}

TEST(StatusText, avoided_hosts_have_a_line_each) {
  ui::JobView job;
  const auto soon = wall("03:27:20.000");
  job.avoided = {{"node2", soon, "2 containers lost"},
                 {"node3\x1b[2J", std::nullopt, "worker:1 failed with exit code 1"}};
  EXPECT_THAT(text_of(job), HasSubstr(fmt::format("avoided  node2 until {} (2 containers lost)\n"
                                                  "avoided  node3 (worker:1 failed with exit code 1)\n",
                                                  ui::clock_time(soon, ui::local_utc_offset).substr(0, 5))));
  job.avoided = {{"node2", soon + std::chrono::hours(48), "2 containers lost"}};
  EXPECT_THAT(text_of(job), testing::ContainsRegex("avoided  node2 until 20[0-9-]+ [0-9]+:[0-9]+ [(]2 con"));
  job.finished = soon;
  EXPECT_THAT(text_of(job), HasSubstr("avoided  node2 (2 containers lost)\n")) << "no time ends it any more";
}

TEST(StatusText, what_holds_the_job_up_has_a_line) {
  ui::JobView job;
  EXPECT_THAT(text_of(job), Not(HasSubstr("notice")));
  job.notice = "HDFS does not answer\x1b[2J; decisions wait";
  EXPECT_THAT(text_of(job), HasSubstr("notice   HDFS does not answer; decisions wait\n"));
}

TEST(StatusText, an_elastic_role_has_a_line_while_the_job_runs) {
  ui::JobView job;
  EXPECT_THAT(text_of(job), Not(HasSubstr("tasks  ")));
  job.elastic = {{"worker", 2, 8, 4}};
  EXPECT_THAT(text_of(job), HasSubstr("tasks    4 of 2 to 8 workers\n"));
  job.finished = core::wall_now();
  EXPECT_THAT(text_of(job), Not(HasSubstr("tasks  ")));
}

TEST(StatusText, the_age_of_saves_is_shown_where_there_are_any) {
  ui::JobView job;
  ui::TaskView task;
  task.id = {"worker", 0};
  job.tasks = {task, task};
  EXPECT_THAT(text_of(job), Not(HasSubstr("SAVED")));
  job.tasks[1].saved = wall("03:17:08.000");
  EXPECT_THAT(text_of(job), HasSubstr("SAVED"));
  EXPECT_THAT(text_of(job), HasSubstr("12 s ago"));
}

}  // namespace
}  // namespace ydl::cli
