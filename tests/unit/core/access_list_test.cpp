#include "core/access_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::core {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(AccessList, users_and_groups_are_read_in_the_notation_of_yarn) {
  const auto list = parse_access_list("alice,bob ml-team,ops");
  ASSERT_TRUE(list);
  EXPECT_THAT(list->users, ElementsAre("alice", "bob"));
  EXPECT_THAT(list->groups, ElementsAre("ml-team", "ops"));
  EXPECT_TRUE(list->names("bob"));
  EXPECT_FALSE(list->names("carol"));
  EXPECT_FALSE(list->names("ops")) << "a group is not a user";
  EXPECT_FALSE(list->names(""));
}

TEST(AccessList, a_star_allows_all_users) {
  const auto list = parse_access_list("*");
  ASSERT_TRUE(list);
  EXPECT_TRUE(list->names("anybody"));
}

TEST(AccessList, a_space_allows_no_user) {
  const auto list = parse_access_list(" ");
  ASSERT_TRUE(list);
  EXPECT_EQ(*list, AccessList{});
  EXPECT_FALSE(list->names(""));
}

TEST(AccessList, a_list_of_groups_only_starts_with_a_space) {
  const auto list = parse_access_list(" g1,g2");
  ASSERT_TRUE(list);
  EXPECT_THAT(list->users, IsEmpty());
  EXPECT_THAT(list->groups, ElementsAre("g1", "g2"));
  EXPECT_EQ(parse_access_list("alice "), (AccessList{.users = {"alice"}}));
}

TEST(AccessList, a_list_that_yarn_would_read_differently_is_refused) {
  for (const auto* text : {"", "alice, bob", "alice,,bob", "alice bob carol", "  ", "*,alice", "* ops", "al*", "a\tb",
                           "alice ops,", ",alice"}) {
    const auto list = parse_access_list(text);
    ASSERT_FALSE(list) << '"' << text << '"';
    EXPECT_THAT(list.error().message, HasSubstr("is not an access list: write users separated by commas")) << text;
  }
  EXPECT_FALSE(parse_access_list(std::string(5000, 'a')));
}

}  // namespace
}  // namespace ydl::core
