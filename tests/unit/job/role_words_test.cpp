#include "job/role_words.hpp"

#include <gtest/gtest.h>

namespace ydl::job {
namespace {

TEST(RoleWords, several_tasks_have_the_plural_of_their_role) {
  EXPECT_EQ(counted(1, "worker"), "1 worker");
  EXPECT_EQ(counted(2, "worker"), "2 workers");
  EXPECT_EQ(with_article(1, "server"), "the server");
  EXPECT_EQ(with_article(3, "server"), "the 3 servers");
}

TEST(RoleWords, a_role_that_ends_in_s_is_its_own_plural) {
  EXPECT_EQ(counted(2, "ps"), "2 ps");
  EXPECT_EQ(plural_of("ps"), "ps");
}

}  // namespace
}  // namespace ydl::job
