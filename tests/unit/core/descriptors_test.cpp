#include "core/descriptors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::core {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Descriptors, a_need_within_the_limit_is_accepted) {
  EXPECT_TRUE(check_descriptors("a job of 600 tasks", 1'024, 1'024));
}

TEST(Descriptors, a_need_above_the_limit_is_refused_with_both_numbers_and_the_remedy) {
  const auto refused = check_descriptors("a job of 2000 tasks", 2'320, 1'024);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::no_capacity);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("a job of 2000 tasks needs about 2320"), HasSubstr("limit is 1024"),
                    HasSubstr("ulimit -Hn 2320"), HasSubstr("fs.nr_open")));
}

}  // namespace
}  // namespace ydl::core
