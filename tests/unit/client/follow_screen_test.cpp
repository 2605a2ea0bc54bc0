// What a question does to the display of a job, on a terminal of the test's own.
#include "client/follow_screen.hpp"

#include "core/files.hpp"
#include "support/vt.hpp"

#include <array>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace ydl::client {
namespace {

using ::testing::HasSubstr;

class FollowScreenTest : public testing::Test {
 protected:
  FollowScreenTest() : pipe_(core::make_pipe().value()), screen_(ui::Mode::tty, pipe_.write.get()) {
    ::fcntl(pipe_.read.get(), F_SETFL, O_NONBLOCK);
    job_.id = "mnist-1";
    job_.framework = "mxnet";
    job_.where = "this machine";
    job_.state = core::JobState::running;
    job_.tasks.resize(2);
    for (int i = 0; i < 2; ++i) {
      job_.tasks[static_cast<std::size_t>(i)].id = {"worker", i};
      job_.tasks[static_cast<std::size_t>(i)].state = core::TaskState::running;
    }
  }

  std::string shown() {
    std::array<char, 65536> buffer{};
    for (;;) {
      const auto n = ::read(pipe_.read.get(), buffer.data(), buffer.size());
      if (n <= 0) return vt_.text();
      vt_.write({buffer.data(), static_cast<std::size_t>(n)});
    }
  }
  static ui::EventView retry(std::uint64_t seq) {
    ui::EventView event;
    event.seq = seq;
    event.kind = core::RecordKind::task_retry;
    event.task = core::TaskId{"worker", 0};
    event.text = "restarting: 1 of 3 retries used";
    return event;
  }
  static int count(const std::string& text, std::string_view what) {
    int found = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  }

  core::Pipe pipe_;
  FollowScreen screen_;
  ui::JobView job_;
  test::Vt vt_{80, 24};
};

TEST_F(FollowScreenTest, what_happens_during_a_question_is_shown_after_it) {
  screen_.begin(job_);
  screen_.begin_question();
  screen_.write("stop? ");
  screen_.event(retry(1));
  screen_.update(job_);
  EXPECT_EQ(shown().find("restarting"), std::string::npos);
  screen_.write("\n");
  screen_.end_question();
  EXPECT_THAT(shown(), HasSubstr("restarting"));
}

TEST_F(FollowScreenTest, an_answer_stays_on_the_screen) {
  screen_.begin(job_);
  screen_.begin_question();
  screen_.write("stop? ");
  screen_.update(job_);
  screen_.write("\n");
  screen_.end_question();
  screen_.write("stopping\n");
  EXPECT_EQ(count(shown(), "worker:1"), 1) << "the block is drawn again below the answer";
  for (int i = 0; i < 3; ++i) {
    job_.state = i == 1 ? core::JobState::running : core::JobState::stopping;
    screen_.update(job_);
    screen_.refresh();
  }
  screen_.finish(job_);
  const auto text = shown();
  EXPECT_EQ(count(text, "stop?"), 1) << text;
  EXPECT_EQ(count(text, "stopping\n"), 1) << text;
}

}  // namespace
}  // namespace ydl::client
