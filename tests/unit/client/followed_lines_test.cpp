// What a follower reads of the logs of a job, on a terminal of the test's own.
#include "client/followed_lines.hpp"

#include "core/files.hpp"
#include "support/temp_dir.hpp"

#include <array>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::client {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class FollowedLinesTest : public testing::Test {
 protected:
  FollowedLinesTest() : pipe_(core::make_pipe().value()), screen_(ui::Mode::tty, pipe_.write.get()) {
    ::fcntl(pipe_.read.get(), F_SETFL, O_NONBLOCK);
    job_.id = "job-1234";
    job_.state = core::JobState::running;
  }

  // The job has this many workers. The bytes of a single one are shown unchanged.
  FollowedLines follow(int workers, FollowedLines::From from, std::string_view shown = "") {
    spec::JobSpec spec;
    spec.roles.resize(1);
    spec.roles[0].name = "worker";
    spec.roles[0].count = workers;
    job_.tasks.resize(static_cast<std::size_t>(workers));
    for (int i = 0; i < workers; ++i) job_.tasks[static_cast<std::size_t>(i)].id = {"worker", i};
    screen_.begin(job_);
    if (workers == 1) screen_.output("stdout", "\n");  // there is no block from the first byte on
    (void)shown_since();
    return {folder_, ShownTasks::of(shown, spec, ui::Mode::tty).value(), from, screen_};
  }

  void write(int worker, int attempt, const std::string& stream, std::string_view text, std::string_view index = "") {
    const auto logs = folder_.task_logs({{"worker", worker}, attempt});
    ASSERT_TRUE(core::make_directories(logs, 0700));
    ASSERT_TRUE(core::write_file_atomically(logs / stream, text, 0600));
    if (!index.empty()) ASSERT_TRUE(core::write_file_atomically(logs / (stream + ".times"), index, 0600));
  }

  // The bytes that reached the terminal since the last call.
  std::string shown_since() {
    std::string all;
    std::array<char, 65536> buffer{};
    for (ssize_t n = 0; (n = ::read(pipe_.read.get(), buffer.data(), buffer.size())) > 0;)
      all.append(buffer.data(), static_cast<std::size_t>(n));
    return all;
  }
  std::string new_bytes(FollowedLines& lines) {
    while (lines.show_new()) all_ += shown_since();
    return std::exchange(all_, {}) + shown_since();
  }

  core::Pipe pipe_;
  FollowScreen screen_;
  ui::JobView job_;
  test::TempDir directory_;
  jobs::JobFolder folder_{directory_.path() / "job-1234"};
  std::string all_;
};

std::string numbered(int from, int to) {
  std::string lines;
  for (int i = from; i <= to; ++i) lines += fmt::format("line {}\n", i);
  return lines;
}

TEST_F(FollowedLinesTest, bytes_of_the_only_task_come_as_they_were_written_whether_lines_are_complete_or_not) {
  auto lines = follow(1, FollowedLines::From::start);
  EXPECT_EQ(new_bytes(lines), "");
  write(0, 1, "stdout", "\x1b[32m10%\r");
  EXPECT_EQ(new_bytes(lines), "\x1b[32m10%\r");
  write(0, 1, "stdout", "\x1b[32m10%\r20%");
  EXPECT_EQ(new_bytes(lines), "20%");
  EXPECT_EQ(new_bytes(lines), "");
  write(0, 2, "stdout", "again\n");
  EXPECT_EQ(new_bytes(lines), "again\n");
}

TEST_F(FollowedLinesTest, lines_of_both_streams_come_in_the_order_of_their_times) {
  auto lines = follow(2, FollowedLines::From::start, "all");
  write(0, 1, "stderr", "warning\nlast\n", "8 2000\n13 9000\n");
  write(0, 1, "stdout", "first\nthen\n", "6 1000\n11 5000\n");
  write(1, 1, "stderr", "second\n");  // logs without an index come first
  write(1, 1, "stdout", "zero\n");
  EXPECT_FALSE(lines.show_new());
  screen_.finish(job_);
  const auto shown = shown_since();
  std::size_t at = 0;
  for (const auto* word : {"zero", "second", "first", "warning", "then", "last"}) {
    const auto found = shown.find(word, at);
    EXPECT_NE(found, std::string::npos) << word << " is missing, or comes too early:\n" << shown;
    at = std::min(found, shown.size());
  }
}

TEST_F(FollowedLinesTest, a_later_terminal_shows_the_last_lines_and_counts_what_came_before) {
  write(0, 1, "stdout", "first attempt\n");
  write(0, 2, "stdout", numbered(1, 50));
  auto lines = follow(1, FollowedLines::From::last_lines);
  const auto shown = new_bytes(lines);
  EXPECT_THAT(shown, EndsWith("\r\n" + numbered(31, 50))) << "and none before them";
  const auto left_out = 14 + numbered(1, 30).size();
  EXPECT_THAT(shown, HasSubstr(fmt::format("{} B of earlier output left out; `ydl logs job-1234` shows it", left_out)));
  write(0, 3, "stdout", numbered(1, 50));
  EXPECT_EQ(new_bytes(lines), numbered(1, 50)) << "what is new is shown whole";
}

TEST_F(FollowedLinesTest, a_later_terminal_shows_the_last_lines_of_several_tasks_in_the_order_of_their_times) {
  write(0, 1, "stdout", numbered(1, 30), "231 9000\n");
  write(1, 1, "stdout", "early\n", "6 1000\n");
  auto lines = follow(2, FollowedLines::From::last_lines, "all");
  auto shown = new_bytes(lines);
  screen_.refresh();
  screen_.finish(job_);
  shown += shown_since();
  EXPECT_THAT(shown, Not(HasSubstr("early"))) << "it is not among the last 20";
  EXPECT_THAT(shown, Not(HasSubstr("line 10\r")));
  EXPECT_THAT(shown, HasSubstr("line 11\r"));
  EXPECT_THAT(shown, HasSubstr("line 30\r"));
  EXPECT_THAT(shown, HasSubstr("B of earlier output left out"));
}

TEST_F(FollowedLinesTest, a_terminal_that_comes_before_the_first_line_misses_none) {
  auto lines = follow(1, FollowedLines::From::last_lines);
  EXPECT_EQ(new_bytes(lines), "");
  write(0, 1, "stdout", numbered(1, 50));
  EXPECT_EQ(new_bytes(lines), numbered(1, 50));
}

TEST_F(FollowedLinesTest, lines_of_tasks_that_are_not_shown_are_left_out) {
  auto lines = follow(2, FollowedLines::From::start, "first");
  write(0, 1, "stdout", "line of 0\n");
  write(1, 1, "stdout", "line of 1\n");
  auto shown = new_bytes(lines);
  screen_.finish(job_);
  shown += shown_since();
  EXPECT_THAT(shown, HasSubstr("line of 0"));
  EXPECT_THAT(shown, Not(HasSubstr("line of 1")));
}

TEST_F(FollowedLinesTest, much_comes_in_parts_so_that_the_caller_can_do_other_things) {
  ::fcntl(pipe_.write.get(), F_SETPIPE_SZ, 1 << 20);
  auto lines = follow(1, FollowedLines::From::start);
  const auto text = numbered(1, 100'000);
  write(0, 1, "stdout", text);
  EXPECT_TRUE(lines.show_new());
  auto shown = shown_since();
  EXPECT_LT(shown.size(), text.size() / 2);
  EXPECT_EQ(shown + new_bytes(lines), text);
}

TEST_F(FollowedLinesTest, a_line_without_its_end_comes_at_the_end) {
  auto lines = follow(2, FollowedLines::From::start, "all");
  write(0, 1, "stdout", "whole\nbegun");
  EXPECT_FALSE(lines.show_new());
  lines.show_rest();
  screen_.finish(job_);
  EXPECT_THAT(shown_since(), HasSubstr("begun"));
}

TEST(MessageFilter, lines_for_ydl_are_left_out_however_they_are_cut) {
  const std::string text = "a\n::progress 0.5 half\n: b\n::c\n::checkpoint\nd ::progress 0.1\n::progress 7\n\n::";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    MessageFilter filter;
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += size) out += filter.pass(std::string_view(text).substr(at, size));
    EXPECT_EQ(out, "a\n: b\n::c\nd ::progress 0.1\n::progress 7\n\n") << size;
    EXPECT_EQ(filter.rest(), "::") << size;
  }
}

TEST(MessageFilter, a_long_line_is_not_held_back) {
  MessageFilter filter;
  EXPECT_EQ(filter.pass("::" + std::string(5000, 'x')).size(), 5002U);
  EXPECT_EQ(filter.pass("::progress 0.5\n"), "::progress 0.5\n") << "in the middle of a line";
  EXPECT_EQ(filter.pass("::progress 0.5\n"), "");
}

}  // namespace
}  // namespace ydl::client
