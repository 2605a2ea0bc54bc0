#include "client/shown_tasks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::client {
namespace {

using ::testing::HasSubstr;

spec::Role role(std::string name, int count) {
  spec::Role role;
  role.name = std::move(name);
  role.count = count;
  return role;
}

spec::JobSpec mxnet() {
  spec::JobSpec job;
  job.framework = "mxnet";
  job.roles = {role("server", 2), role("worker", 2)};
  return job;
}

spec::JobSpec one_task() {
  spec::JobSpec job;
  job.roles = {role("worker", 1)};
  return job;
}

TEST(ShownTasks, a_terminal_shows_the_first_task_that_decides_and_a_pipe_all) {
  const auto terminal = ShownTasks::of("", mxnet(), ui::Mode::tty).value();
  EXPECT_EQ(terminal.only(), "worker:0");
  EXPECT_TRUE(terminal.has({"worker", 0}));
  EXPECT_FALSE(terminal.has({"worker", 1}));
  EXPECT_FALSE(terminal.has({"server", 0}));
  EXPECT_FALSE(terminal.unchanged());
  for (const auto mode : {ui::Mode::plain, ui::Mode::json}) {
    const auto pipe = ShownTasks::of("", mxnet(), mode).value();
    EXPECT_EQ(pipe.only(), "");
    EXPECT_TRUE(pipe.has({"server", 1}));
  }
  EXPECT_FALSE(ShownTasks::of("", mxnet(), ui::Mode::quiet)->any());
}

TEST(ShownTasks, the_job_file_may_name_the_role_that_decides) {
  auto job = mxnet();
  job.framework = "none";
  job.roles = {role("data", 1), role("trainer", 2)};
  job.roles[0].kind = "service";
  EXPECT_EQ(ShownTasks::of("first", job, ui::Mode::plain)->only(), "trainer:0");
}

TEST(ShownTasks, a_role_is_chosen_by_its_name) {
  const auto shown = ShownTasks::of("server", mxnet(), ui::Mode::tty).value();
  EXPECT_TRUE(shown.has({"server", 1}));
  EXPECT_FALSE(shown.has({"worker", 0}));
  EXPECT_FALSE(ShownTasks::of("none", mxnet(), ui::Mode::plain)->any());
  EXPECT_TRUE(ShownTasks::of("all", mxnet(), ui::Mode::tty)->has({"worker", 1}));
}

TEST(ShownTasks, only_a_terminal_gets_the_bytes_of_the_only_task_unchanged) {
  EXPECT_EQ(ShownTasks::of("", one_task(), ui::Mode::tty)->unchanged(), (core::TaskId{"worker", 0}));
  EXPECT_EQ(ShownTasks::of("all", one_task(), ui::Mode::tty)->unchanged(), (core::TaskId{"worker", 0}));
  EXPECT_FALSE(ShownTasks::of("none", one_task(), ui::Mode::tty)->unchanged());
  EXPECT_FALSE(ShownTasks::of("", one_task(), ui::Mode::plain)->unchanged());
  auto elastic = one_task();
  elastic.roles[0].least = 1;
  EXPECT_FALSE(ShownTasks::of("", elastic, ui::Mode::tty)->unchanged());
}

TEST(ShownTasks, another_word_is_refused_with_what_there_is) {
  const auto refused = ShownTasks::of("worker:0", mxnet(), ui::Mode::tty);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Errc::usage);
  EXPECT_THAT(refused.error().message,
              HasSubstr("--show-logs worker:0: choose one of none, first, all, server, worker"));
}

}  // namespace
}  // namespace ydl::client
