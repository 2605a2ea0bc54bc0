#include "agent/told_nodes.hpp"

#include <gtest/gtest.h>

namespace ydl::agent {
namespace {

using Next = job::MemberEnded::Next;

const core::AttemptId kFirst{{"worker", 1}, 1};
const core::AttemptId kSecond{{"worker", 1}, 2};
const core::AttemptId kThird{{"worker", 1}, 3};

TEST(ToldNodes, an_attempt_is_expected_once) {
  ToldNodes told;
  EXPECT_TRUE(told.expect(kFirst));
  EXPECT_FALSE(told.expect(kFirst));
  EXPECT_TRUE(told.expect(kSecond));
  EXPECT_FALSE(told.expect(kFirst)) << "said again by a master that was restarted";
}

TEST(ToldNodes, an_end_is_told_once_and_what_follows_once_more) {
  ToldNodes told;
  ASSERT_TRUE(told.expect(kFirst));
  EXPECT_TRUE(told.end(kFirst, Next::unknown));
  EXPECT_FALSE(told.end(kFirst, Next::unknown));
  EXPECT_TRUE(told.end(kFirst, Next::restarts));
  EXPECT_FALSE(told.end(kFirst, Next::unknown));
  EXPECT_FALSE(told.end(kFirst, Next::gone)) << "it was stopped after it was decided that it starts again";
  EXPECT_FALSE(told.expect(kFirst)) << "it would count as one that runs";
}

TEST(ToldNodes, the_end_of_an_earlier_attempt_does_not_end_the_next_one) {
  ToldNodes told;
  ASSERT_TRUE(told.expect(kSecond));
  EXPECT_FALSE(told.end(kFirst, Next::restarts));
  EXPECT_TRUE(told.end(kSecond, Next::left));
}

TEST(ToldNodes, an_attempt_that_is_announced_by_the_end_before_it_is_expected_and_ends) {
  ToldNodes told;
  ASSERT_TRUE(told.expect(kFirst));
  EXPECT_TRUE(told.end(kSecond, Next::restarts)) << "of a task that waits for its second attempt";
  EXPECT_FALSE(told.end(kFirst, Next::restarts));
  EXPECT_TRUE(told.expect(kSecond));
  EXPECT_TRUE(told.end(kSecond, Next::unknown));
  EXPECT_TRUE(told.expect(kThird));
}

}  // namespace
}  // namespace ydl::agent
