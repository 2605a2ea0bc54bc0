#include "agent/resources/usage.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace ydl::agent {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

const core::AttemptId kAttempt{{"worker", 0}, 1};

core::Instant at(long seconds) {
  return core::Instant(core::Seconds(1000 + seconds));
}

TEST(Usage, a_stat_line_gives_times_and_memory) {
  const auto count = parse_stat_count(
      "5190 (a) b (c) R 5188 5187 3167 0 -1 4194304 103 0 0 0 11 22 33 44 20 0 1 0 9876 12345678 456 "
      "18446744073709551615\n");
  ASSERT_TRUE(count);
  EXPECT_EQ(count->cpu_ticks, 11U + 22 + 33 + 44);
  EXPECT_EQ(count->memory_pages, 456U);
}

TEST(Usage, a_cut_or_foreign_stat_line_is_refused) {
  for (const auto* text :
       {"", "7 (x)", "7 (x) R", "7 (x) R 1 2 3", "7 x R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21",
        "7 (x) R 1 2 3 4 5 6 7 8 9 10 a 12 13 14 15 16 17 18 19 20 21"}) {
    EXPECT_FALSE(parse_stat_count(text)) << text;
  }
  const auto negative = parse_stat_count("7 (x) R 1 2 3 4 5 6 7 8 9 10 -5 12 13 14 15 16 17 18 19 20 -3");
  ASSERT_TRUE(negative);
  EXPECT_EQ(negative->cpu_ticks, 12U + 13 + 14);
  EXPECT_EQ(negative->memory_pages, 0U);
}

TEST(Usage, processes_that_are_gone_use_nothing) {
  const auto count = count_process_tree(-1);
  EXPECT_FALSE(count.cpu_us);
  EXPECT_FALSE(count.memory_bytes);
}

TEST(Usage, the_cpu_is_that_since_the_look_before) {
  UsageRates rates;
  const UsageSource source{.attempt = kAttempt, .began = at(-10), .reaper = 0, .cgroup = {}};
  const auto rate = [&](const UsageCount& count, long seconds) { return rates.rate(source, count, at(seconds)); };
  EXPECT_EQ(rate({.cpu_us = 1'000'000, .memory_bytes = 7}, 0), (Usage{10, 7})) << "since the start";
  EXPECT_EQ(rate({.cpu_us = 11'000'000, .memory_bytes = 8}, 5), (Usage{200, 8}));
  EXPECT_EQ(rate({.cpu_us = 11'000'000, .memory_bytes = 8}, 10), (Usage{0, 8}));
  EXPECT_EQ(rate({.cpu_us = 3'000'000, .memory_bytes = 8}, 15), (Usage{0, 8})) << "it fell";
  EXPECT_EQ(rate({.cpu_us = std::nullopt, .memory_bytes = 8}, 20), (Usage{std::nullopt, 8}));
  EXPECT_EQ(rate({.cpu_us = 7'000'000, .memory_bytes = 8}, 25), (Usage{20, 8}));
  rates.keep({});
  EXPECT_EQ(rate({.cpu_us = 8'000'000, .memory_bytes = 8}, 30), (Usage{20, 8}));
}

// What is reported of a usage although the log has no news.
class UsageNewsTest : public testing::Test {
 protected:
  UsageNewsTest() {
    news_.note({50, 1000 * kMiB});
    news_.reported(at(0));
  }
  [[nodiscard]] bool after(long seconds, const Usage& usage) {
    news_.note(usage);
    return news_.is_worth_report(at(seconds), at(-100));
  }

  UsageNews news_;
};

TEST_F(UsageNewsTest, the_first_is_reported) {
  UsageNews news;
  EXPECT_FALSE(news.is_worth_report(at(0), at(0)));
  news.note({std::nullopt, 1});
  EXPECT_TRUE(news.is_worth_report(at(0), at(0)));
}

TEST_F(UsageNewsTest, a_large_change_is_reported_at_once) {
  EXPECT_TRUE(after(5, {60, 1000 * kMiB}));
  EXPECT_TRUE(after(5, {40, 1000 * kMiB}));
  EXPECT_TRUE(after(5, {50, 1100 * kMiB}));
  EXPECT_TRUE(after(5, {std::nullopt, 1000 * kMiB}));
}

TEST_F(UsageNewsTest, a_small_change_is_reported_after_a_minute) {
  EXPECT_FALSE(after(5, {59, 1099 * kMiB}));
  EXPECT_FALSE(after(59, {59, 1099 * kMiB}));
  EXPECT_TRUE(after(60, {59, 1099 * kMiB}));
}

TEST_F(UsageNewsTest, a_tenth_of_much_is_a_small_change) {
  news_.note({3200, 1000 * kMiB});
  news_.reported(at(0));
  EXPECT_FALSE(after(5, {3500, 1000 * kMiB}));
  EXPECT_TRUE(after(5, {3520, 1000 * kMiB}));
}

TEST_F(UsageNewsTest, no_change_is_never_reported) {
  EXPECT_FALSE(after(10'000, {50, 1000 * kMiB}));
}

TEST_F(UsageNewsTest, that_the_log_grew_is_reported_although_its_last_line_is_the_same) {
  EXPECT_FALSE(news_.is_worth_report(at(19), at(5)));
  EXPECT_TRUE(news_.is_worth_report(at(20), at(5)));
  EXPECT_FALSE(news_.is_worth_report(at(20), at(0))) << "that it grew then was reported";
}

}  // namespace
}  // namespace ydl::agent
