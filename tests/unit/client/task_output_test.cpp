#include "client/task_output.hpp"

#include "core/files.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

namespace ydl::client {
namespace {

class TaskOutputTest : public testing::Test {
 protected:
  void write(int attempt, const std::string& stream, const std::string& text) {
    const auto logs = folder_.task_logs({task_, attempt});
    ASSERT_TRUE(core::make_directories(logs, 0700));
    ASSERT_TRUE(core::write_file_atomically(logs / stream, text, 0600));
  }
  static std::string joined(const std::vector<TaskOutput::Piece>& pieces) {
    std::string all;
    for (const auto& piece : pieces) all += piece.bytes;
    return all;
  }

  test::TempDir directory_;
  core::TaskId task_{"worker", 0};
  jobs::JobFolder folder_{directory_.path() / "job-1234"};
};

TEST_F(TaskOutputTest, bytes_come_as_they_were_written_whether_lines_are_complete_or_not) {
  TaskOutput output(folder_, task_, TaskOutput::From::start);
  EXPECT_TRUE(output.poll().empty());
  write(1, "stdout", "\x1b[32m10%\r");
  EXPECT_EQ(joined(output.poll()), "\x1b[32m10%\r");
  write(1, "stdout", "\x1b[32m10%\r20%");
  EXPECT_EQ(joined(output.poll()), "20%");
  EXPECT_TRUE(output.poll().empty());
}

TEST_F(TaskOutputTest, each_piece_names_its_stream_and_the_next_attempt_follows) {
  TaskOutput output(folder_, task_, TaskOutput::From::start);
  write(1, "stderr", "broken\n");
  auto pieces = output.poll();
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].stream, "stderr");
  write(2, "stdout", "again\n");
  pieces = output.poll();
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].stream, "stdout");
  EXPECT_EQ(pieces[0].bytes, "again\n");
}

TEST_F(TaskOutputTest, a_later_terminal_shows_the_last_lines_of_the_last_attempt) {
  write(1, "stdout", "first attempt\n");
  std::string lines;
  for (int i = 1; i <= 50; ++i) lines += "line " + std::to_string(i) + "\n";
  write(2, "stdout", lines);
  TaskOutput output(folder_, task_, TaskOutput::From::last_lines);
  const auto shown = joined(output.poll());
  EXPECT_TRUE(shown.starts_with("line 31\n")) << shown;
  EXPECT_TRUE(shown.ends_with("line 50\n")) << shown;
  write(3, "stdout", lines);
  EXPECT_TRUE(joined(output.poll()).starts_with("line 1\n"));
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
