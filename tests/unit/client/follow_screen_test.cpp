// What a question does to the display of a job, on a terminal of the test's own.
#include "client/follow_screen.hpp"

#include "core/files.hpp"
#include "support/vt.hpp"

#include <array>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fmt/format.h>

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

TEST_F(FollowScreenTest, what_happens_during_a_question_is_shown_above_it) {
  screen_.begin(job_);
  screen_.footer({"Stop the job?"});
  screen_.event(retry(1));
  screen_.update(job_);
  screen_.footer({"Press s, l or c:"});
  auto text = shown();
  EXPECT_THAT(text, HasSubstr("restarting"));
  EXPECT_TRUE(text.ends_with("worker:1  running\nPress s, l or c:\n")) << text;
  screen_.footer({});
  text = shown();
  EXPECT_EQ(count(text, "Press"), 0) << text;
  EXPECT_EQ(count(text, "worker:1"), 1) << text;
}

TEST_F(FollowScreenTest, other_text_takes_the_place_of_the_block) {
  screen_.begin(job_);
  screen_.write("the job's master does not answer\n");
  EXPECT_EQ(count(shown(), "worker:1"), 0);
  screen_.update(job_);
  screen_.finish(job_);
  const auto text = shown();
  EXPECT_EQ(count(text, "worker:1"), 1) << text;
  EXPECT_EQ(count(text, "does not answer"), 1) << text;
}

TEST_F(FollowScreenTest, lines_for_ydl_are_left_out) {
  screen_.begin(job_);
  for (const auto* text : {"::checkpoint", "::checkpoint of epoch 3", "::progress 3/8 epoch 3",
                           R"(::metric {"loss":0.4})", "::checkpoints", "::progress of 8", "a ::checkpoint"}) {
    ui::LogLine line;
    line.task = {"worker", 0};
    line.text = text;
    screen_.log(line);
  }
  screen_.finish(job_);
  const auto text = shown();
  EXPECT_EQ(count(text, "worker:0 │"), 3) << text;
  for (const auto* left : {"│ ::checkpoints\n", "│ ::progress of 8\n", "│ a ::checkpoint\n"})
    EXPECT_EQ(count(text, left), 1) << text;
}

}  // namespace
}  // namespace ydl::client
