#include "http/admission.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace ydl::http {
namespace {

const core::Instant kStart{core::Seconds(1000)};

TEST(ConnectionBook, a_further_stranger_takes_the_room_of_the_oldest) {
  ConnectionBook book(3);
  std::vector<ConnectionId> ids;
  for (int i = 0; i < 3; ++i) {
    const auto admission = book.admit(kStart);
    EXPECT_FALSE(admission.dropped);
    ids.push_back(admission.id);
  }
  EXPECT_EQ(book.admit(kStart).dropped, ids[0]);
  EXPECT_EQ(book.admit(kStart).dropped, ids[1]);
  EXPECT_EQ(book.strangers(), 3U);
}

TEST(ConnectionBook, who_has_shown_a_key_is_never_dropped) {
  ConnectionBook book(2);
  const auto owner = book.admit(kStart).id;
  book.showed_key(owner, kStart);
  for (int i = 0; i < 1000; ++i) {
    const auto admission = book.admit(kStart);
    ASSERT_NE(admission.dropped, owner);
    if (i % 2 == 0) book.showed_key(admission.id, kStart);
  }
  EXPECT_LE(book.strangers(), 2U);
}

TEST(ConnectionBook, who_leaves_makes_room) {
  ConnectionBook book(2);
  const auto first = book.admit(kStart).id;
  const auto second = book.admit(kStart).id;
  book.left(second);
  EXPECT_FALSE(book.admit(kStart).dropped);
  EXPECT_EQ(book.admit(kStart).dropped, first);
  book.left(first);  // its connection ends after it was dropped
  EXPECT_EQ(book.strangers(), 2U);
}

TEST(ConnectionBook, as_long_as_strangers_show_keys_a_further_one_waits) {
  ConnectionBook book(2);
  EXPECT_FALSE(book.hold_until(kStart));
  const auto first = book.admit(kStart).id;
  EXPECT_FALSE(book.hold_until(kStart)) << "there is room";
  (void)book.admit(kStart);
  EXPECT_EQ(book.hold_until(kStart), kStart + ConnectionBook::kQuiet);
  const auto later = kStart + core::Millis(400);
  book.showed_key(first, later);
  EXPECT_FALSE(book.hold_until(later)) << "there is room again";
  (void)book.admit(later);
  EXPECT_EQ(book.hold_until(later), later + ConnectionBook::kQuiet);
}

TEST(ConnectionBook, strangers_without_keys_keep_nobody_waiting) {
  ConnectionBook book(2);
  for (int i = 0; i < 2; ++i) (void)book.admit(kStart);
  const auto quiet = kStart + ConnectionBook::kQuiet;
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_FALSE(book.hold_until(quiet)) << i;
    ASSERT_TRUE(book.admit(quiet).dropped);
  }
}

TEST(ConnectionBook, a_single_key_among_many_strangers_without_one_makes_nobody_wait) {
  ConnectionBook book(8);
  auto now = kStart + ConnectionBook::kQuiet;
  for (int i = 0; i < 100; ++i) (void)book.admit(kStart);
  book.showed_key(book.admit(now).id, now);
  (void)book.admit(now);
  EXPECT_FALSE(book.hold_until(now)) << "an agent that starts now would have to wait";
  for (int i = 0; i < 100; ++i) book.showed_key(book.admit(now).id, now);
  (void)book.admit(now);
  EXPECT_TRUE(book.hold_until(now)) << "now nearly all of them are agents";
}

TEST(ConnectionBook, calls_of_guests_do_not_count_against_agents_that_start_later) {
  ConnectionBook book(8);
  for (int i = 0; i < 100; ++i) book.guest_left(book.admit(kStart).id);
  EXPECT_EQ(book.strangers(), 0U);
  for (int i = 0; i < 8; ++i) (void)book.admit(kStart);
  EXPECT_TRUE(book.hold_until(kStart)) << "the oldest would be closed although it may be an agent";
}

TEST(ConnectionBook, a_stranger_that_waits_long_is_dropped_even_while_others_show_keys) {
  ConnectionBook book(2);
  const auto idle = book.admit(kStart).id;
  auto now = kStart;
  for (; now < kStart + ConnectionBook::kLongestWait; now += core::Millis(100))
    book.showed_key(book.admit(now).id, now);
  (void)book.admit(now);
  EXPECT_FALSE(book.hold_until(now));
  EXPECT_EQ(book.admit(now).dropped, idle);
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
