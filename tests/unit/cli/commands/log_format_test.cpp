#include "cli/commands/log_printer.hpp"
#include "core/strings.hpp"

#include <gtest/gtest.h>

namespace ydl::cli {
namespace {

using To = LogFormat::To;
using Tasks = LogFormat::Tasks;

const ui::Style kColours{ui::Colour::on, ui::Charset::unicode};
const ui::Style kNoColours{ui::Colour::off, ui::Charset::unicode};
const core::TaskId kWorker{"worker", 0};

std::string shown(const LogFormat::Options& options, const PrintedLine& line, To to = To::terminal) {
  return LogFormat(options).line(line, to);
}

TEST(LogFormat, names_the_task_before_each_line_in_a_file) {
  EXPECT_EQ(shown({}, {kWorker, "stdout", "hello"}, To::file), "[worker:0] hello\n");
  EXPECT_EQ(shown({}, {kWorker, "stderr", "hello"}, To::file), "[worker:0] hello\n");
}

TEST(LogFormat, tells_standard_error_from_standard_output_without_colours) {
  EXPECT_EQ(shown({.style = kNoColours}, {kWorker, "stdout", "hello"}), "worker:0 │ hello\n");
  EXPECT_EQ(shown({.style = kNoColours}, {kWorker, "stderr", "hello"}), "worker:0 ! hello\n");
  EXPECT_EQ(shown({.style = {ui::Colour::off, ui::Charset::ascii}}, {kWorker, "stdout", "hello"}),
            "worker:0 | hello\n");
  EXPECT_EQ(shown({.tasks = Tasks::one, .style = kNoColours}, {kWorker, "stderr", "hello"}), "! hello\n");
  EXPECT_EQ(shown({.tasks = Tasks::one, .style = kNoColours}, {kWorker, "stdout", "hello"}), "hello\n");
  EXPECT_EQ(shown({.tasks = Tasks::one, .both_streams = false, .style = kNoColours}, {kWorker, "stderr", "hello"}),
            "hello\n");
}

TEST(LogFormat, gives_tasks_that_follow_each_other_different_colours) {
  const auto first = shown({.style = kColours}, {kWorker, "stdout", "x"});
  EXPECT_EQ(first, shown({.style = kColours}, {kWorker, "stdout", "x"}));
  const auto second = shown({.style = kColours}, {{"worker", 1}, "stdout", "x"});
  EXPECT_NE(first.substr(0, first.find('m')), second.substr(0, second.find('m')));
  EXPECT_TRUE(shown({.style = kColours}, {kWorker, "stderr", "x"}).contains("\x1b[31m!\x1b[0m x"));
}

TEST(LogFormat, puts_names_of_different_lengths_below_each_other) {
  EXPECT_EQ(shown({.style = kNoColours, .name_width = 9}, {kWorker, "stdout", "x"}), "worker:0  │ x\n");
}

TEST(LogFormat, puts_the_time_first_and_a_dash_where_it_is_not_known) {
  const auto time = core::parse_utc("2026-11-15T03:13:20.123Z");
  EXPECT_EQ(shown({.timestamps = true}, {kWorker, "stdout", "x", true, time}, To::file),
            "2026-11-15T03:13:20.123Z [worker:0] x\n");
  EXPECT_EQ(shown({.tasks = Tasks::one, .timestamps = true}, {kWorker, "stdout", "x", false}, To::file),
            "-                        x\n");
}

TEST(LogFormat, gives_a_terminal_no_control_characters_and_the_last_state_of_a_line) {
  const std::string_view hostile = "\x1b]0;owned\x07 10%\r\x1b[31m100%\x1b[0m\x9b";
  EXPECT_EQ(shown({.style = kNoColours}, {kWorker, "stdout", hostile}), "worker:0 │ 100%\xef\xbf\xbd\n");
  EXPECT_EQ(shown({.tasks = Tasks::one, .style = kNoColours}, {kWorker, "stdout", hostile}), "100%\xef\xbf\xbd\n");
}

TEST(LogFormat, gives_a_file_the_bytes_of_a_single_task) {
  using namespace std::string_view_literals;
  const auto bytes = "\x1b[31m10%\r\0\xff"sv;
  EXPECT_EQ(shown({.tasks = Tasks::one}, {kWorker, "stdout", bytes}, To::file), std::string(bytes) + "\n");
  EXPECT_EQ(shown({.tasks = Tasks::one}, {kWorker, "stdout", bytes, false}, To::file), bytes);
}

}  // namespace
}  // namespace ydl::cli
