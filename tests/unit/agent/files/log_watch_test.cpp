#include "agent/files/log_watch.hpp"

#include "core/files.hpp"
#include "support/temp_dir.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace ydl::agent {
namespace {

class FinalLine : public testing::Test {
 protected:
  void write(const char* stream, const std::string& text) {
    std::ofstream(dir_.path() / stream, std::ios::binary) << text;
  }
  [[nodiscard]] std::string final_line() const {
    return LogWatch({{"worker", 0}, 1}, dir_.path(), [](const protocol::Report&) {}).final_line();
  }

  test::TempDir dir_;
};

TEST_F(FinalLine, is_that_of_standard_error_if_it_has_one) {
  EXPECT_EQ(final_line(), "") << "there are no files yet";
  write("stdout", "step 1\nstep 2\n");
  write("stderr", "");
  EXPECT_EQ(final_line(), "step 2");
  write("stderr", " \n\n");
  EXPECT_EQ(final_line(), "step 2");
  write("stderr", "Traceback:\nValueError: no such directory\n\n  \n");
  EXPECT_EQ(final_line(), "ValueError: no such directory");
}

TEST_F(FinalLine, may_be_unfinished_and_is_the_newest_state_of_a_progress_bar) {
  write("stderr", "begin\n10%\r20%\r");
  EXPECT_EQ(final_line(), "20%");
  write("stderr", "begin\nkilled in the mid");
  EXPECT_EQ(final_line(), "killed in the mid");
}

TEST_F(FinalLine, can_be_printed) {
  write("stderr", "\x1b[31mred \x07 error\x1b[0m\n\x1b[0m\n\x1b[2J\n");
  EXPECT_EQ(final_line(), "red  error");
  write("stderr", "broken \xff bytes\n");
  EXPECT_EQ(final_line(), "broken \xef\xbf\xbd bytes");
}

TEST_F(FinalLine, is_cut_between_two_characters) {
  write("stderr", "x" + std::string(511, 'a') + "b\n");
  EXPECT_EQ(final_line(), "x" + std::string(511, 'a'));
  std::string umlauts = "x";
  for (int i = 0; i < 600; ++i) umlauts += "ä";
  write("stderr", umlauts + "\n");
  EXPECT_EQ(final_line(), umlauts.substr(0, 511));
}

TEST_F(FinalLine, of_a_large_log_is_found_at_its_end) {
  write("stderr", std::string(std::size_t{300} << 10U, 'a') + "\nthe end\n");
  EXPECT_EQ(final_line(), "the end");
  write("stderr", std::string(std::size_t{300} << 10U, '\n'));
  write("stdout", "the rest\n");
  EXPECT_EQ(final_line(), "the rest") << "more blank lines than are read";
}

TEST_F(FinalLine, that_asks_for_a_save_is_taken_once) {
  LogWatch watch({{"worker", 0}, 1}, dir_.path(), [](const protocol::Report&) {});
  watch.read();
  EXPECT_FALSE(watch.take_checkpoint());
  write("stdout", "::checkpoint\n");
  write("stderr", "::checkpoint\n");
  watch.read();
  EXPECT_TRUE(watch.take_checkpoint());
  EXPECT_FALSE(watch.take_checkpoint());
}

class Reports : public FinalLine {
 protected:
  std::vector<protocol::Report> reports_;
  LogWatch watch_{
      {{"worker", 0}, 1}, dir_.path(), [this](protocol::Report report) { reports_.push_back(std::move(report)); }};

  [[nodiscard]] const protocol::TaskOutput& output() const { return std::get<protocol::TaskOutput>(reports_.back()); }
  static core::Instant at(long seconds) { return core::Instant(core::Seconds(1000 + seconds)); }
};

TEST_F(Reports, tell_once_of_progress_that_is_not_understood) {
  write("stdout", "::progress abc\n::progress 12 of 30\n");
  watch_.read(at(0));
  ASSERT_EQ(reports_.size(), 2U);
  EXPECT_EQ(std::get<protocol::Note>(reports_.front()).text,
            "it wrote `::progress abc`, which is not understood: write ::progress 3/8 text");
  write("stderr", "::progress ?\n");
  watch_.read(at(1));
  ASSERT_EQ(reports_.size(), 3U) << "the line, but no second note";
  EXPECT_EQ(output().last_line, "::progress ?");
}

TEST_F(Reports, have_the_metrics_of_both_streams) {
  const std::string out = "::metric {\"step\":1,\"loss\":0.5}\n";
  const std::string err = "::metric {\"acc\":0.9}\n";
  write("stdout", out);
  write("stderr", err);
  watch_.read(at(0));
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_EQ(output().metrics, (core::Metrics{1, {{"acc", 0.9}, {"loss", 0.5}}}));
  write("stdout", out + "::metric {\"step\":2,\"loss\":0.5}\n");
  write("stderr", err + "::metric ?\n::metric !\n");
  watch_.read(at(1));
  ASSERT_EQ(reports_.size(), 3U);
  EXPECT_EQ(std::get<protocol::Note>(reports_[1]).text,
            R"(it wrote `::metric ?`, which is not understood: write ::metric {"step":10,"loss":0.4})");
  EXPECT_EQ(output().metrics->step, 2);
}

TEST_F(Reports, prefer_what_the_task_writes_to_bars_of_its_programs) {
  write("stdout", " 75%|███████▌  | 3/4 [00:03<00:01,  1.0s/it]\n");
  watch_.read(at(0));
  EXPECT_EQ(output().progress, 0.75);
  write("stderr", "::progress 1/4\n");
  watch_.read(at(1));
  EXPECT_EQ(output().progress, 0.25);
}

TEST_F(Reports, have_the_usage_and_how_long_the_log_is_quiet) {
  watch_.read(at(0));
  EXPECT_TRUE(reports_.empty());
  watch_.note_usage({97, 5}, at(5));
  ASSERT_EQ(reports_.size(), 1U) << "the first is worth a report";
  EXPECT_EQ(output().cpu_percent, 97);
  EXPECT_EQ(output().memory_bytes, 5U);
  EXPECT_EQ(output().quiet_ms, core::Seconds(5));
  watch_.note_usage({96, 6}, at(10));
  EXPECT_EQ(reports_.size(), 1U);
  write("stdout", "step 1\n");
  watch_.read(at(11));
  ASSERT_EQ(reports_.size(), 2U);
  EXPECT_EQ(output().cpu_percent, 96);
  EXPECT_EQ(output().quiet_ms, core::Millis(0));
}

class Times : public testing::Test {
 protected:
  void append(const char* stream, const std::string& text) {
    std::ofstream(dir_.path() / stream, std::ios::binary | std::ios::app) << text;
  }
  void look(std::int64_t millis) {
    watch_.read();
    watch_.note_times(core::Instant(core::Millis(millis)), core::WallTime(core::Millis(1'000'000 + millis)));
  }
  [[nodiscard]] std::string index(const char* stream) const {
    return core::read_file(dir_.path() / (std::string(stream) + ".times")).value_or("none");
  }

  test::TempDir dir_;
  LogWatch watch_{{{"worker", 0}, 1}, dir_.path(), [](const protocol::Report&) {}};
};

TEST_F(Times, of_each_growth_are_noted_beside_each_log) {
  look(0);
  EXPECT_EQ(index("stdout"), "none");
  append("stdout", "begin\n");
  look(200);
  append("stdout", "next\n");
  append("stderr", "warning\n");
  look(400);
  append("stdout", "last\n");
  look(1400);
  EXPECT_EQ(index("stdout"), "6 1000200\n16 1001400\n");
  EXPECT_EQ(index("stderr"), "8 1000400\n");
  append("stdout", "!");
  look(1600);
  watch_.finish_times();
  EXPECT_EQ(index("stdout"), "6 1000200\n16 1001400\n17 1001600\n");
}

TEST_F(Times, of_a_log_that_its_task_has_cut_begin_anew) {
  append("stdout", "begin\n");
  look(0);
  std::filesystem::resize_file(dir_.path() / "stdout", 0);
  append("stdout", "new\n");
  look(200);
  EXPECT_EQ(index("stdout"), "4 1000200\n");
}

TEST_F(Times, are_not_written_through_a_link_or_into_a_pipe_of_the_task) {
  append("victim", "mine");
  std::filesystem::create_symlink(dir_.path() / "victim", dir_.path() / "stdout.times");
  ASSERT_EQ(::mkfifo((dir_.path() / "stderr.times").c_str(), 0600), 0);
  append("stdout", "begin\n");
  append("stderr", "begin\n");
  look(0);
  watch_.finish_times();
  EXPECT_EQ(core::read_file(dir_.path() / "victim").value_or("none"), "mine");
}

}  // namespace
}  // namespace ydl::agent
