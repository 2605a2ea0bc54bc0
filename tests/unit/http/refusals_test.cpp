#include "http/refusals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace ydl::http {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const core::Instant kStart{core::Seconds(1000)};

TEST(RefusalLog, the_first_refusal_is_reported_at_once) {
  RefusalLog log;
  EXPECT_FALSE(log.due());
  log.add("10.0.0.7", Refusal::wrong_key);
  ASSERT_TRUE(log.due());
  EXPECT_LE(*log.due(), kStart);
  EXPECT_EQ(log.take(kStart), "the master refused 1 call: 1 from 10.0.0.7 (with a wrong key)");
  EXPECT_FALSE(log.take(kStart));
}

TEST(RefusalLog, later_refusals_are_reported_together_once_a_minute) {
  RefusalLog log;
  log.add("10.0.0.7", Refusal::wrong_key);
  ASSERT_TRUE(log.take(kStart));
  for (int i = 0; i < 3; ++i) log.add("10.0.0.7", Refusal::wrong_key);
  log.add("10.0.0.8", Refusal::no_key);
  EXPECT_FALSE(log.take(kStart + RefusalLog::kPeriod - core::Millis(1)));
  EXPECT_EQ(log.due(), kStart + RefusalLog::kPeriod);
  EXPECT_EQ(log.take(kStart + RefusalLog::kPeriod),
            "the master refused 4 calls: 3 from 10.0.0.7 (with a wrong key), 1 from 10.0.0.8 (without a key)");
  EXPECT_FALSE(log.due());
}

TEST(RefusalLog, a_hundred_thousand_refusals_are_one_short_line) {
  RefusalLog log;
  for (int i = 0; i < 100'000; ++i) log.add(fmt::format("10.{}.{}.1", i % 250, i / 250 % 250), Refusal::wrong_key);
  const auto line = log.take(kStart);
  ASSERT_TRUE(line);
  EXPECT_THAT(*line, AllOf(HasSubstr("refused 100000 calls: "), EndsWith(" of others")));
  EXPECT_LT(line->size(), 400U);
}

}  // namespace
}  // namespace ydl::http
