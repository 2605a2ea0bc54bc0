#include "http/admission.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace ydl::http {
namespace {

TEST(ConnectionBook, a_further_stranger_takes_the_room_of_the_oldest) {
  ConnectionBook book(3);
  std::vector<ConnectionId> ids;
  for (int i = 0; i < 3; ++i) {
    const auto admission = book.admit();
    EXPECT_FALSE(admission.dropped);
    ids.push_back(admission.id);
  }
  EXPECT_EQ(book.admit().dropped, ids[0]);
  EXPECT_EQ(book.admit().dropped, ids[1]);
  EXPECT_EQ(book.strangers(), 3U);
}

TEST(ConnectionBook, who_has_shown_a_key_is_never_dropped) {
  ConnectionBook book(2);
  const auto owner = book.admit().id;
  book.showed_key(owner);
  for (int i = 0; i < 1000; ++i) {
    const auto admission = book.admit();
    ASSERT_NE(admission.dropped, owner);
    if (i % 2 == 0) book.showed_key(admission.id);
  }
  EXPECT_LE(book.strangers(), 2U);
}

TEST(ConnectionBook, who_leaves_makes_room) {
  ConnectionBook book(2);
  const auto first = book.admit().id;
  const auto second = book.admit().id;
  book.left(second);
  EXPECT_FALSE(book.admit().dropped);
  EXPECT_EQ(book.admit().dropped, first);
  book.left(first);  // its connection ends after it was dropped
  EXPECT_EQ(book.strangers(), 2U);
}

TEST(BodyBudget, all_bodies_together_stay_within_it) {
  BodyBudget budget(100);
  EXPECT_TRUE(budget.take(60));
  EXPECT_FALSE(budget.take(41));
  EXPECT_TRUE(budget.take(40));
  EXPECT_EQ(budget.taken(), 100U);
  EXPECT_FALSE(budget.take(1));
  EXPECT_TRUE(budget.take(0));
  budget.give_back(60);
  EXPECT_TRUE(budget.take(60));
  EXPECT_FALSE(BodyBudget(100).take(101));
}

}  // namespace
}  // namespace ydl::http
