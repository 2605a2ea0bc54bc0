#include "cli/commands/status_text.hpp"

#include "ui/screen.hpp"
#include "ui/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(StatusText, what_a_master_wrote_does_not_reach_the_terminal_as_commands) {
  const std::string evil = "\x1b]0;owned\x07\x1b[2J";
  ui::JobView job;
  job.id = job.framework = job.where = job.reason = job.logs_path = job.results_path = "x" + evil;
  ui::TaskView task;
  task.id = {"worker", 0};
  task.node = task.last_line = evil;
  job.tasks = {task};
  const auto text = status_text(job);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\x07")));
  EXPECT_THAT(text, HasSubstr("logs     x\n"));
}

TEST(StatusText, avoided_hosts_have_a_line_each) {
  ui::JobView job;
  const auto soon = core::wall_now() + std::chrono::minutes(10);
  job.avoided = {{"node2", soon, "2 containers lost"},
                 {"node3\x1b[2J", std::nullopt, "worker:1 failed with exit code 1"}};
  EXPECT_THAT(status_text(job), HasSubstr(fmt::format("avoided  node2 until {} (2 containers lost)\n"
                                                      "avoided  node3 (worker:1 failed with exit code 1)\n",
                                                      ui::clock_time(soon, ui::local_utc_offset).substr(0, 5))));
  job.avoided = {{"node2", soon + std::chrono::hours(48), "2 containers lost"}};
  EXPECT_THAT(status_text(job), testing::ContainsRegex("avoided  node2 until 20[0-9-]+ [0-9]+:[0-9]+ [(]2 con"));
  job.finished = soon;
  EXPECT_THAT(status_text(job), HasSubstr("avoided  node2 (2 containers lost)\n")) << "no time ends it any more";
}

TEST(StatusText, what_holds_the_job_up_has_a_line) {
  ui::JobView job;
  EXPECT_THAT(status_text(job), Not(HasSubstr("notice")));
  job.notice = "HDFS does not answer\x1b[2J; decisions wait";
  EXPECT_THAT(status_text(job), HasSubstr("notice   HDFS does not answer; decisions wait\n"));
}

TEST(StatusText, an_elastic_role_has_a_line_while_the_job_runs) {
  ui::JobView job;
  EXPECT_THAT(status_text(job), Not(HasSubstr("tasks  ")));
  job.elastic = {{"worker", 2, 8, 4}};
  EXPECT_THAT(status_text(job), HasSubstr("tasks    4 of 2 to 8 workers\n"));
  job.finished = core::wall_now();
  EXPECT_THAT(status_text(job), Not(HasSubstr("tasks  ")));
}

TEST(StatusText, the_age_of_saves_is_shown_where_there_are_any) {
  ui::JobView job;
  ui::TaskView task;
  task.id = {"worker", 0};
  job.tasks = {task, task};
  EXPECT_THAT(status_text(job), Not(HasSubstr("SAVED")));
  job.tasks[1].saved = core::wall_now() - core::Seconds(12);
  EXPECT_THAT(status_text(job), HasSubstr("SAVED"));
  EXPECT_THAT(status_text(job), HasSubstr("12 s ago"));
}

}  // namespace
}  // namespace ydl::cli
