// What only the local backend has: an agent that can be lost, and ports of this machine.
#include "conformance/local_stage.hpp"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::backend::test {
namespace {

using ::testing::HasSubstr;

const core::AttemptId kFirst{{"worker", 0}, 1};
const core::AttemptId kSecond{{"worker", 1}, 1};

class LocalBackendTest : public testing::Test {
 protected:
  Sink sink() {
    return {[this](job::Event event) { events_.push_back(std::move(event)); }, [](const protocol::TaskOutput&) {},
            [this](const std::string& note) { notes_.push_back(note); }};
  }
  LocalStage& open() {
    stage_ = std::make_unique<LocalStage>(loop_, sink());
    const auto opened = loop_.run(stage_->backend().open());
    EXPECT_TRUE(opened) << opened.error().message;
    return *stage_;
  }
  void TearDown() override {
    if (stage_ == nullptr) return;
    loop_.run(stage_->backend().close({}));
    EXPECT_EQ(LocalStage::agent_pid(), 0) << "the agent outlives its backend";
    EXPECT_EQ(stage_->complaints(), "");
    stage_.reset();
    loop_.settle();
  }

  template <class Event>
  Event expect(const core::AttemptId& attempt) {
    const Event* found = nullptr;
    const bool came = loop_.until([&] {
      for (const auto& event : events_) {
        const auto* wanted = std::get_if<Event>(&event);
        if (wanted != nullptr && wanted->attempt == attempt) found = wanted;
      }
      return found != nullptr;
    });
    EXPECT_TRUE(came) << attempt.str();
    return came ? *found : Event{};
  }
  pid_t start(const core::AttemptId& attempt, std::vector<std::string> command) {
    stage_->backend().place({.attempt = attempt, .ports = 1});
    expect<job::Placed>(attempt);
    stage_->backend().launch({attempt, std::move(command), {}});
    return expect<job::Started>(attempt).pid;
  }

  ydl::test::Loop loop_;
  std::vector<job::Event> events_;
  std::vector<std::string> notes_;
  std::unique_ptr<LocalStage> stage_;
};

TEST_F(LocalBackendTest, a_lost_agent_loses_its_tasks_with_a_reason_and_kills_them) {
  auto& stage = open();
  const ydl::test::Watched task(start(kFirst, stage.command(Does::ignores_stop)));
  stage.backend().place({.attempt = kSecond, .ports = 1});
  expect<job::Placed>(kSecond);
  ASSERT_EQ(::kill(LocalStage::agent_pid(), SIGKILL), 0);
  for (const auto& attempt : {kFirst, kSecond}) {
    const auto reason = expect<job::Lost>(attempt).reason;
    EXPECT_THAT(reason, HasSubstr("killed by signal 9"));
    EXPECT_THAT(reason, HasSubstr("agent.log"));
  }
  EXPECT_TRUE(task.dies());
}

TEST_F(LocalBackendTest, an_agent_that_does_not_take_a_stop_is_killed_with_its_tasks) {
  auto& stage = open();
  const ydl::test::Watched task(start(kFirst, stage.command(Does::runs_on)));
  ASSERT_EQ(::kill(LocalStage::agent_pid(), SIGSTOP), 0);
  stage.backend().stop({kFirst, core::Millis(0)});
  EXPECT_THAT(expect<job::Lost>(kFirst).reason, HasSubstr("killed by signal 9"));
  EXPECT_TRUE(task.dies());
}

TEST_F(LocalBackendTest, nothing_can_be_placed_once_the_agent_is_gone) {
  auto& stage = open();
  start(kFirst, stage.command(Does::runs_on));
  ASSERT_EQ(::kill(LocalStage::agent_pid(), SIGKILL), 0);
  expect<job::Lost>(kFirst);
  stage.backend().place({.attempt = kSecond, .ports = 1});
  EXPECT_THAT(expect<job::CannotPlace>(kSecond).reason, HasSubstr("the agent on "));
}

TEST_F(LocalBackendTest, an_agent_that_cannot_start_is_an_error_of_open) {
  stage_ = std::make_unique<LocalStage>(loop_, sink(), "/nowhere/ydl");
  const auto opened = loop_.run(stage_->backend().open());
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("/nowhere/ydl"));
}

TEST_F(LocalBackendTest, an_agent_that_ends_at_once_cannot_place_whatever_was_asked_for) {
  stage_ = std::make_unique<LocalStage>(loop_, sink(), "/bin/false");
  ASSERT_TRUE(loop_.run(stage_->backend().open()));
  stage_->backend().place({.attempt = kFirst, .ports = 1});
  EXPECT_THAT(expect<job::CannotPlace>(kFirst).reason, HasSubstr("agent.log"));
}

TEST_F(LocalBackendTest, a_port_range_too_small_for_the_task_cannot_be_placed) {
  auto& stage = open();
  stage.backend().place({.attempt = kFirst, .ports = 3, .port_range = {{20000, 20001}}});
  EXPECT_THAT(expect<job::CannotPlace>(kFirst).reason, HasSubstr("20000"));
}

TEST_F(LocalBackendTest, processes_a_task_leaves_behind_are_ended_and_noted) {
  open();
  start(kFirst, {"/bin/sh", "-c", "setsid sleep 60 & exit 0"});
  EXPECT_TRUE(expect<job::Exited>(kFirst).status.ok());
  EXPECT_THAT(notes_, testing::ElementsAre(HasSubstr("worker:0 left ")));
  EXPECT_TRUE(loop_.until([&] { return stage_->running() == 0; }));
}

TEST_F(LocalBackendTest, a_task_whose_results_are_lost_fails_and_the_file_is_named) {
  auto& stage = open();
  start(kFirst, stage.command(Does::loses_results));
  EXPECT_EQ(expect<job::Exited>(kFirst).status.code, 1);
  EXPECT_THAT(notes_, testing::ElementsAre(HasSubstr("model.params")));
}

TEST_F(LocalBackendTest, a_task_finds_its_variables_and_its_directory) {
  auto& stage = open();
  const auto directory = stage.files().folders_of(kFirst).working.string();
  stage.backend().place({.attempt = kFirst, .ports = 1});
  expect<job::Placed>(kFirst);
  stage.backend().launch(
      {kFirst, {"/bin/sh", "-c", "test \"$PWD\" = " + directory + " && test \"$X\" = 'a b'"}, {{"X", "a b"}}});
  EXPECT_EQ(expect<job::Exited>(kFirst).status.code, 0);
}

}  // namespace
}  // namespace ydl::backend::test
