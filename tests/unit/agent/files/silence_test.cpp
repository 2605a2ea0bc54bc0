#include "agent/files/silence.hpp"

#include <gtest/gtest.h>

namespace ydl::agent {
namespace {

using News = Silence::News;
constexpr core::Instant kStart{core::Seconds(100)};

TEST(Silence, is_told_once_and_so_is_its_end) {
  Silence silence(core::Seconds(10));
  silence.wrote(kStart);
  EXPECT_EQ(silence.news(kStart + core::Seconds(9)), News::none);
  EXPECT_EQ(silence.news(kStart + core::Seconds(10)), News::silent);
  EXPECT_EQ(silence.news(kStart + core::Seconds(11)), News::none);
  silence.wrote(kStart + core::Seconds(12));
  EXPECT_EQ(silence.news(kStart + core::Seconds(12)), News::writes);
  EXPECT_EQ(silence.news(kStart + core::Seconds(22)), News::silent);
}

TEST(Silence, without_a_limit_is_never_told) {
  Silence silence(core::Millis(0));
  silence.wrote(kStart);
  EXPECT_EQ(silence.news(kStart + std::chrono::hours(24)), News::none);
}

}  // namespace
}  // namespace ydl::agent
