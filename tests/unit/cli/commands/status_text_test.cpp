#include "cli/commands/status_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ydl::cli
