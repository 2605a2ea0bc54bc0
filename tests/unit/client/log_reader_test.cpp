#include "client/log_reader.hpp"

#include "core/files.hpp"
#include "support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace ydl::client {
namespace {

class LogReaderTest : public testing::Test {
 protected:
  void write(std::string_view text) {
    const auto logs = folder_.task_logs({{"worker", 0}, 1});
    ASSERT_TRUE(core::make_directories(logs));
    ASSERT_TRUE(core::write_file_atomically(logs / "stdout", text));
  }
  LogReader::Take take() {
    return [this](const ui::LogLine& line) { lines_.push_back(line.text); };
  }

  test::TempDir dir_;
  jobs::JobFolder folder_{dir_.path() / "job-1a2b"};
  LogReader reader_{folder_, {}};
  std::vector<std::string> lines_;
};

TEST_F(LogReaderTest, many_lines_come_in_parts_so_that_the_caller_can_do_other_things) {
  std::string text;
  std::vector<std::string> all;
  for (int i = 0; i < 100'000; ++i) {
    all.push_back(fmt::format("line {}", i));
    text += all.back() + "\n";
  }
  write(text);
  EXPECT_TRUE(reader_.poll(take()));
  EXPECT_LT(lines_.size(), all.size() / 2);
  int polls = 1;
  while (reader_.poll(take())) ++polls;
  EXPECT_GT(polls, 3);
  EXPECT_EQ(lines_, all);
}

TEST_F(LogReaderTest, a_line_without_its_end_comes_when_all_others_have) {
  write(std::string(300 << 10, 'x') + "\nlast");
  EXPECT_FALSE(reader_.drain(take())) << "there is more than one part";
  EXPECT_TRUE(reader_.drain(take()));
  ASSERT_FALSE(lines_.empty());
  EXPECT_EQ(lines_.back(), "last");
}

TEST_F(LogReaderTest, a_log_that_its_task_truncated_is_read_from_its_beginning) {
  write("one two three\n");
  EXPECT_TRUE(reader_.drain(take()));
  write("four\n");
  EXPECT_TRUE(reader_.drain(take()));
  EXPECT_EQ(lines_, (std::vector<std::string>{"one two three", "four"}));
}

}  // namespace
}  // namespace ydl::client
