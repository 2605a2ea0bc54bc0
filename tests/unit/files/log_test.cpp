#include "files/log_lines.hpp"
#include "files/log_tail.hpp"
#include "support/temp_dir.hpp"

#include <fstream>
#include <gtest/gtest.h>

namespace ydl::files {
namespace {

TEST(Progress, a_line_has_a_fraction_and_a_text) {
  EXPECT_EQ(parse_progress("::progress 0.25 epoch 3 of 12"), (Progress{0.25, "epoch 3 of 12"}));
  EXPECT_EQ(parse_progress("::progress 1"), (Progress{1, ""}));
  EXPECT_EQ(parse_progress("::progress 1.0000000002 done"), (Progress{1, "done"}));
  EXPECT_EQ(parse_progress("::progress 5e-1\tx"), (Progress{0.5, "x"}));
}

TEST(Progress, other_lines_and_fractions_outside_0_to_1_are_ignored) {
  for (const auto* line : {"::progress", "::progress ", "::progress x", "::progress nan", "::progress inf",
                           "::progress -0.1", "::progress 1.1", "::progress 150%", "::progress 0.5x", "progress 0.5",
                           " ::progress 0.5", "::progress 1e999"}) {
    EXPECT_FALSE(parse_progress(line)) << line;
  }
}

TEST(LogLines, the_last_line_may_be_incomplete) {
  LogLines lines;
  EXPECT_EQ(lines.last_line(), "");
  lines.feed("one\ntwo");
  EXPECT_EQ(lines.last_line(), "two");
  lines.feed(" and a half\n\n  \n");
  EXPECT_EQ(lines.last_line(), "two and a half");
}

TEST(LogLines, checkpoint_lines_are_counted) {
  LogLines lines;
  lines.feed("::checkpoint\nx\n::check");
  EXPECT_EQ(lines.checkpoints(), 1U);
  lines.feed("point of epoch 3\n::checkpoint");
  EXPECT_EQ(lines.checkpoints(), 2U) << "the last line is not complete yet";
  lines.feed("s\n ::checkpoint\n::checkpointed\n::checkpoint\t1\r");
  EXPECT_EQ(lines.checkpoints(), 3U);
}

TEST(LogLines, a_progress_bar_is_shown_in_its_latest_state) {
  LogLines lines;
  lines.feed("epoch 1\n 10%|#  |\r 20%|## |");
  EXPECT_EQ(lines.last_line(), " 20%|## |");
  lines.feed("\r");
  EXPECT_EQ(lines.last_line(), " 20%|## |");
  lines.feed("\r\x1b[K\x1b[32m 30%|###|\x1b[0m\r\n");
  EXPECT_EQ(lines.last_line(), " 30%|###|");
}

TEST(LogLines, colours_and_titles_are_removed) {
  EXPECT_EQ(plain_text("\x1b[1;31merror\x1b[0m: x"), "error: x");
  EXPECT_EQ(plain_text("\x1b]0;title\a"
                       "text"),
            "text");
  EXPECT_EQ(plain_text("\x1b]0;title\x1b\\text"), "text");
  EXPECT_EQ(plain_text("cut\x1b[3"), "cut");
  EXPECT_EQ(plain_text("cut\x1b"), "cut");
}

TEST(LogLines, progress_lines_may_arrive_in_pieces) {
  LogLines lines;
  lines.feed("::progress 0.1 a\nx\n::prog");
  EXPECT_EQ(lines.progress(), (Progress{0.1, "a"}));
  lines.feed("ress 0.2 b");
  EXPECT_EQ(lines.progress(), (Progress{0.1, "a"})) << "the line is not complete";
  lines.feed("\r\n::progress 7 c\n");
  EXPECT_EQ(lines.progress(), (Progress{0.2, "b"}));
}

TEST(LogLines, a_very_long_line_is_cut) {
  LogLines lines;
  for (int i = 0; i < 100; ++i) lines.feed(std::string(1000, 'x'));
  EXPECT_EQ(lines.last_line().size(), LogLines::kLongestLine);
  lines.feed("\nshort");
  EXPECT_EQ(lines.last_line(), "short");
}

class LogFile : public testing::Test {
 protected:
  void append(std::string_view text) const { std::ofstream(path(), std::ios::app) << text; }
  [[nodiscard]] std::filesystem::path path() const { return dir_.path() / "stdout"; }

  test::TempDir dir_;
};

TEST_F(LogFile, a_file_is_followed_when_it_appears_and_grows) {
  LogTail tail(path());
  ASSERT_EQ(tail.poll()->bytes, 0U);
  append("one\n");
  EXPECT_EQ(tail.poll()->bytes, 4U);
  append("::progress 0.5 half\ntwo");
  EXPECT_EQ(tail.poll()->bytes, 23U);
  EXPECT_EQ(tail.last_line(), "two");
  EXPECT_EQ(tail.lines().progress(), (Progress{0.5, "half"}));
  EXPECT_EQ(tail.poll()->bytes, 0U);
}

TEST_F(LogFile, a_large_file_is_read_in_pieces) {
  append(std::string(LogTail::kPiece, 'x') + "\nend\n");
  LogTail tail(path());
  auto update = tail.poll();
  ASSERT_TRUE(update);
  EXPECT_EQ(update->bytes, LogTail::kPiece);
  EXPECT_TRUE(update->more);
  update = tail.poll();
  EXPECT_EQ(update->bytes, 5U);
  EXPECT_FALSE(update->more);
  EXPECT_EQ(tail.last_line(), "end");
}

TEST_F(LogFile, a_truncated_file_is_read_again_from_its_start) {
  append("a long first line\nbegun");
  LogTail tail(path());
  ASSERT_TRUE(tail.poll());
  std::filesystem::resize_file(path(), 0);
  append("new\n");
  EXPECT_EQ(tail.poll()->bytes, 4U);
  EXPECT_EQ(tail.last_line(), "new");
}

TEST_F(LogFile, a_replaced_file_is_read_from_its_start_even_when_longer) {
  append("old");
  LogTail tail(path());
  ASSERT_TRUE(tail.poll());
  ASSERT_TRUE(core::write_file_atomically(path(), "a longer new line\n"));
  EXPECT_EQ(tail.poll()->bytes, 18U);
  EXPECT_EQ(tail.last_line(), "a longer new line");
}

TEST_F(LogFile, a_removed_file_is_not_an_error) {
  append("old\n");
  LogTail tail(path());
  ASSERT_TRUE(tail.poll());
  std::filesystem::remove(path());
  ASSERT_TRUE(tail.poll());
  EXPECT_EQ(tail.last_line(), "old");
}

TEST_F(LogFile, the_last_lines_are_read_from_the_end) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "line " + std::to_string(i) + "\n";
  append(text);
  EXPECT_EQ(last_lines(path(), 2), (std::vector<std::string>{"line 49998", "line 49999"}));
  EXPECT_EQ(last_lines(path(), 20'000)->front(), "line 30000");
  append("unfinished");
  EXPECT_EQ(last_lines(path(), 2), (std::vector<std::string>{"line 49999", "unfinished"}));
  EXPECT_TRUE(last_lines(path(), 0)->empty());
}

TEST_F(LogFile, the_last_lines_are_limited_in_bytes) {
  append("first\n" + std::string(1000, 'x') + "\n");
  const auto lines = last_lines(path(), 10, 100);
  ASSERT_TRUE(lines);
  ASSERT_EQ(lines->size(), 1U);
  EXPECT_EQ(lines->front().size(), 99U);
}

TEST_F(LogFile, a_file_with_fewer_lines_is_returned_completely) {
  append("one\n\nthree\n");
  EXPECT_EQ(last_lines(path(), 10), (std::vector<std::string>{"one", "", "three"}));
  ASSERT_TRUE(core::write_file_atomically(path(), ""));
  EXPECT_TRUE(last_lines(path(), 10)->empty());
  EXPECT_FALSE(last_lines(dir_.path() / "missing", 10));
}

TEST(LogSlices, have_the_current_content_of_the_file) {
  const test::TempDir dir;
  const auto path = dir.path() / "stdout";
  EXPECT_EQ(read_slice(path, 0, 10)->size, 0U) << "not there yet";
  ASSERT_TRUE(core::write_file_atomically(path, "abcdef"));
  EXPECT_EQ(read_slice(path, 2, 3)->bytes, "cde");
  EXPECT_EQ(read_slice(path, 2, 3)->size, 6U);
  EXPECT_EQ(read_slice(path, 4, 100)->bytes, "ef");
  EXPECT_EQ(read_slice(path, 6, 100)->bytes, "");
  EXPECT_EQ(read_slice(path, 99, 100)->size, 6U) << "the file is shorter than the offset: it was truncated";
}

}  // namespace
}  // namespace ydl::files
