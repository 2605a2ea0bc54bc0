#include "client/log_merge.hpp"

#include "client/log_start.hpp"
#include "core/files.hpp"
#include "support/temp_dir.hpp"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>

#include <fmt/format.h>

namespace ydl::client {
namespace {

using core::Millis;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

core::WallTime at(std::int64_t seconds) {
  return core::WallTime(core::Seconds(seconds));
}

class LogMergeTest : public testing::Test {
 protected:
  // A log, and an index that says how many bytes of it there were at which second.
  struct Growth {
    std::uint64_t offset;
    std::int64_t second;
  };
  std::filesystem::path log(int worker, const std::string& stream = "stdout", int attempt = 1) {
    const auto folder = folder_.task_logs({{"worker", worker}, attempt});
    EXPECT_TRUE(core::make_directories(folder));
    return folder / stream;
  }
  static void append(const std::filesystem::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary | std::ios::app) << text;
  }
  static void index(const std::filesystem::path& path, const std::vector<Growth>& growths) {
    for (const auto& growth : growths)
      append(path.string() + ".times", files::encode({growth.offset, at(growth.second)}));
  }
  LogMerge merge(LogMerge::Options options = {}) { return {folder_, std::move(options)}; }
  // The lines as "worker:0 text", with "@SECOND" where the time is known and "+" where the end of the line is missing.
  std::vector<std::string> read(LogMerge& from, LogMerge::LastLine last = LogMerge::LastLine::give,
                                std::optional<core::WallTime> now = std::nullopt) {
    std::vector<std::string> lines;
    from.read(
        [&](const LogPart& part) {
          const auto time = part.time ? fmt::format(" @{}", part.time->time_since_epoch() / core::Seconds(1)) : "";
          lines.push_back(fmt::format("{} {}{}{}", part.file.task.str(), part.text, part.ends_line ? "" : "+", time));
          return true;
        },
        last, now);
    return lines;
  }
  std::vector<std::string> all(LogMerge::Options options = {}) {
    auto from = merge(std::move(options));
    return read(from);
  }

  test::TempDir dir_;
  jobs::JobFolder folder_{dir_.path() / "job-1a2b"};
};

TEST_F(LogMergeTest, lines_of_several_tasks_come_in_the_order_of_their_times) {
  append(log(0), "a\nc\ne\n");
  index(log(0), {{2, 10}, {4, 12}, {6, 14}});
  append(log(1), "b\nd\n");
  index(log(1), {{2, 11}, {4, 13}});
  EXPECT_THAT(all(),
              ElementsAre("worker:0 a @10", "worker:1 b @11", "worker:0 c @12", "worker:1 d @13", "worker:0 e @14"));
}

TEST_F(LogMergeTest, lines_of_one_second_come_task_by_task_with_standard_output_first) {
  append(log(0, "stderr"), "x\n");
  append(log(0), "a\nb\n");
  append(log(1), "c\n");
  for (const auto& path : {log(0, "stderr"), log(1)}) index(path, {{2, 10}});
  index(log(0), {{4, 10}});
  EXPECT_THAT(all(), ElementsAre("worker:0 a @10", "worker:0 b @10", "worker:0 x @10", "worker:1 c @10"));
}

TEST_F(LogMergeTest, tasks_come_in_the_order_of_their_numbers) {
  for (const int worker : {2, 10, 1}) append(log(worker), "x\n");
  EXPECT_THAT(all(), ElementsAre("worker:1 x", "worker:2 x", "worker:10 x"));
}

TEST_F(LogMergeTest, logs_without_an_index_come_first_and_task_by_task) {
  append(log(0), "a\n");
  index(log(0), {{2, 10}});
  append(log(1), "b\nc\n");
  append(log(2), "d\n");
  EXPECT_THAT(all(), ElementsAre("worker:1 b", "worker:1 c", "worker:2 d", "worker:0 a @10"));
}

TEST_F(LogMergeTest, a_line_has_the_time_at_which_it_was_complete) {
  append(log(0), "begun and ended\nnext\n");
  index(log(0), {{5, 10}, {16, 20}, {21, 30}});
  EXPECT_THAT(all(), ElementsAre("worker:0 begun and ended @20", "worker:0 next @30"));
}

TEST_F(LogMergeTest, what_the_index_has_not_reached_has_no_time_and_comes_after_the_rest_of_its_log) {
  append(log(0), "a\nb\n");
  index(log(0), {{2, 10}});
  append(log(1), "c\n");
  index(log(1), {{2, 11}});
  EXPECT_THAT(all(), ElementsAre("worker:0 a @10", "worker:0 b", "worker:1 c @11"));
}

TEST_F(LogMergeTest, an_index_of_nonsense_loses_no_line) {
  append(log(0), "a\nb\nc\n");
  append(log(0).string() + ".times", "x\n\n2 10000\n1 9000\n900 20000\n\xff\xff 3\n7");
  EXPECT_THAT(all(), ElementsAre("worker:0 a @10", "worker:0 b @20", "worker:0 c @20"));
}

TEST_F(LogMergeTest, a_clock_that_goes_backwards_does_not_mix_up_the_lines_of_a_log) {
  append(log(0), "a\nb\nc\n");
  index(log(0), {{2, 100}, {4, 20}, {6, 30}});
  EXPECT_THAT(all(), ElementsAre("worker:0 a @100", "worker:0 b @20", "worker:0 c @30"));
}

TEST_F(LogMergeTest, every_byte_is_given_once) {
  std::string bytes;
  for (int i = 0; i < 40'000; ++i)
    bytes += fmt::format("{}\r{}\n", std::string(static_cast<std::size_t>(i % 91), 'x'), i);
  bytes += std::string(300'000, 'y');
  bytes += '\0';
  append(log(0), bytes);
  index(log(0), {{1, 1}, {70'000, 2}, {70'001, 3}, {bytes.size() - 5, 4}});
  std::string given;
  auto from = merge();
  from.read(
      [&](const LogPart& part) {
        given += part.text;
        if (part.ends_line) given += '\n';
        return true;
      },
      LogMerge::LastLine::give);
  EXPECT_TRUE(given == bytes);
}

TEST_F(LogMergeTest, a_line_without_its_end_waits_until_it_is_asked_for) {
  append(log(0), "whole\nbegun");
  auto from = merge();
  EXPECT_THAT(read(from, LogMerge::LastLine::wait), ElementsAre("worker:0 whole"));
  EXPECT_THAT(read(from, LogMerge::LastLine::wait), IsEmpty());
  append(log(0), " and ended\n");
  EXPECT_THAT(read(from, LogMerge::LastLine::wait), ElementsAre("worker:0 begun and ended"));
  append(log(0), "last");
  EXPECT_THAT(read(from), ElementsAre("worker:0 last+"));
  EXPECT_THAT(read(from), IsEmpty());
}

TEST_F(LogMergeTest, what_grows_has_the_time_at_which_it_was_seen_until_its_index_says_more) {
  append(log(0), "a\n");
  auto from = merge();
  EXPECT_THAT(read(from, LogMerge::LastLine::wait, at(40)), ElementsAre("worker:0 a")) << "it may be old";
  append(log(0), "b\n");
  EXPECT_THAT(read(from, LogMerge::LastLine::wait, at(50)), ElementsAre("worker:0 b @50"));
  append(log(0), "c\n");
  index(log(0), {{2, 40}, {4, 49}, {6, 51}});
  EXPECT_THAT(read(from, LogMerge::LastLine::wait, at(52)), ElementsAre("worker:0 c @51"));
}

TEST_F(LogMergeTest, a_log_that_its_task_has_cut_is_read_from_its_new_beginning) {
  append(log(0), "old and long\n");
  index(log(0), {{13, 10}});
  auto from = merge();
  (void)read(from, LogMerge::LastLine::wait);
  std::filesystem::resize_file(log(0), 0);
  std::filesystem::resize_file(log(0).string() + ".times", 0);
  append(log(0), "new\n");
  index(log(0), {{4, 20}});
  EXPECT_THAT(read(from), ElementsAre("worker:0 new @20"));
}

TEST_F(LogMergeTest, tasks_and_attempts_that_begin_later_are_found) {
  append(log(0), "a\n");
  auto from = merge();
  (void)read(from, LogMerge::LastLine::wait);
  append(log(0, "stdout", 2), "b\n");
  append(log(1), "c\n");
  EXPECT_THAT(read(from), ElementsAre("worker:0 b", "worker:1 c"));
  EXPECT_THAT(from.attempts(), ElementsAre(1, 2));
}

TEST_F(LogMergeTest, a_filter_names_a_task_a_role_a_stream_or_an_attempt) {
  append(log(0), "a\n");
  append(log(1), "b\n");
  append(log(1, "stderr"), "c\n");
  append(log(1, "stdout", 2), "d\n");
  EXPECT_THAT(all({.filter = {"worker:1", "stdout", 1}}), ElementsAre("worker:1 b"));
  EXPECT_THAT(all({.filter = {"worker", "", 1}}), ElementsAre("worker:0 a", "worker:1 b", "worker:1 c"));
  EXPECT_THAT(all({.filter = {"server", "", 0}}), IsEmpty());
}

TEST_F(LogMergeTest, an_index_is_not_shown_as_a_log) {
  append(log(0), "a\n");
  index(log(0), {{2, 10}});
  EXPECT_THAT(all(), ElementsAre("worker:0 a @10"));
}

TEST_F(LogMergeTest, grep_keeps_lines_with_the_text) {
  append(log(0), "loss 0.5\naccuracy 0.9\nloss 0.4\nlo");
  EXPECT_THAT(all({.grep = "loss"}), ElementsAre("worker:0 loss 0.5", "worker:0 loss 0.4"));
  EXPECT_THAT(all({.grep = ".*"}), IsEmpty()) << "it is not a regular expression";
}

TEST_F(LogMergeTest, tail_begins_with_the_last_lines_of_each_log) {
  append(log(0), "a\nb\nc\nd");
  append(log(1), "e\n");
  EXPECT_THAT(all({.tail = 2}), ElementsAre("worker:0 c", "worker:0 d+", "worker:1 e"));
  EXPECT_THAT(all({.tail = 0}), IsEmpty());
}

TEST_F(LogMergeTest, tail_finds_the_lines_of_a_large_log_over_the_pieces_that_it_reads) {
  std::vector<std::string> lines;
  std::string text;
  for (int i = 0; i < 30'000; ++i) {
    lines.push_back(fmt::format("worker:0 line {} {}", i, std::string(static_cast<std::size_t>(i % 57), 'x')));
    text += lines.back().substr(std::string_view("worker:0 ").size()) + "\n";
  }
  append(log(0), text);
  for (const std::size_t count : {1U, 100U, 5000U, 29'999U, 30'000U, 40'000U}) {
    const auto wanted = std::span(lines).last(std::min(count, lines.size()));
    EXPECT_THAT(all({.tail = count}), ElementsAreArray(wanted)) << count;
  }
}

TEST_F(LogMergeTest, of_a_line_without_an_end_tail_gives_the_last_piece) {
  append(log(0), "short\n" + std::string(3'000'000, 'x') + "end");
  auto from = merge({.tail = 1});
  std::string shown;
  from.read([&](const LogPart& part) { return shown += part.text, true; }, LogMerge::LastLine::give);
  EXPECT_EQ(shown.size(), kLongestLogLine);
  EXPECT_TRUE(shown.ends_with("xend"));
  EXPECT_EQ(from.skipped(), 3'000'009 - kLongestLogLine);
}

TEST_F(LogMergeTest, tail_and_grep_count_the_lines_that_are_shown) {
  append(log(0), "loss 3\nx\nloss 2\nx\nloss 1\nx\nx\n");
  EXPECT_THAT(all({.tail = 2, .grep = "loss"}), ElementsAre("worker:0 loss 2", "worker:0 loss 1"));
}

TEST_F(LogMergeTest, since_begins_with_the_first_line_of_that_time) {
  append(log(0), "a\nb\nc\nd\n");
  index(log(0), {{2, 10}, {5, 20}, {6, 30}});
  EXPECT_THAT(all({.since = at(15)}), ElementsAre("worker:0 b @20", "worker:0 c @30", "worker:0 d"));
  EXPECT_THAT(all({.since = at(20)}), ElementsAre("worker:0 b @20", "worker:0 c @30", "worker:0 d"));
  EXPECT_THAT(all({.since = at(25)}), ElementsAre("worker:0 c @30", "worker:0 d")) << "c was begun before";
  EXPECT_THAT(all({.since = at(31)}), ElementsAre("worker:0 d")) << "it came after the others";
  EXPECT_THAT(all({.since = at(15), .tail = 1}), ElementsAre("worker:0 d"));
}

TEST_F(LogMergeTest, since_leaves_out_a_log_without_an_index_only_where_it_is_older) {
  append(log(0), "a\n");
  auto now = merge({.since = core::wall_now() - std::chrono::hours(1)});
  EXPECT_THAT(read(now), ElementsAre("worker:0 a"));
  EXPECT_EQ(now.without_times(), 1);
  EXPECT_THAT(all({.since = core::wall_now() + std::chrono::hours(1)}), IsEmpty());
}

TEST_F(LogMergeTest, a_taker_that_has_enough_gets_no_more) {
  append(log(0), "a\nb\nc\n");
  auto from = merge();
  int taken = 0;
  from.read([&](const LogPart&) { return ++taken < 2; }, LogMerge::LastLine::give);
  EXPECT_EQ(taken, 2);
}

TEST_F(LogMergeTest, after_a_taker_had_enough_the_next_call_goes_on_there) {
  append(log(0), "a\nb\nc\n");
  append(log(1), "d\n");
  index(log(0), {{2, 10}, {6, 30}});
  index(log(1), {{2, 20}});
  auto from = merge();
  std::vector<std::string> all;
  for (int call = 0; call < 4; ++call) {
    const auto take_one = [&](const LogPart& part) { return all.emplace_back(part.text), false; };
    from.read(take_one, LogMerge::LastLine::wait);
  }
  EXPECT_THAT(all, ElementsAre("a", "d", "b", "c"));
}

TEST_F(LogMergeTest, no_file_stays_open) {
  for (int worker = 0; worker < 50; ++worker) {
    append(log(worker), "a\nb\n");
    index(log(worker), {{2, 10 + worker}, {4, 100 - worker}});
  }
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  const auto before = open_files();
  auto from = merge();
  std::ptrdiff_t most = 0;
  from.read(
      [&](const LogPart&) {
        most = std::max(most, open_files());
        return true;
      },
      LogMerge::LastLine::give);
  EXPECT_LE(most, before + 1);
}

}  // namespace
}  // namespace ydl::client
