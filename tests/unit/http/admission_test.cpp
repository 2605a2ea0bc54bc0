#include "http/admission.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace ydl::http {
namespace {

const core::Instant kStart{core::Seconds(1000)};

TEST(ConnectionTable, a_further_unauthenticated_connection_replaces_the_oldest) {
  ConnectionTable connections(3);
  std::vector<ConnectionId> ids;
  for (int i = 0; i < 3; ++i) {
    const auto admission = connections.admit(kStart);
    EXPECT_FALSE(admission.dropped);
    ids.push_back(admission.id);
  }
  EXPECT_EQ(connections.admit(kStart).dropped, ids[0]);
  EXPECT_EQ(connections.admit(kStart).dropped, ids[1]);
  EXPECT_EQ(connections.unauthenticated(), 3U);
}

TEST(ConnectionTable, an_authenticated_connection_is_never_dropped) {
  ConnectionTable connections(2);
  const auto owner = connections.admit(kStart).id;
  connections.showed_key(owner, kStart);
  for (int i = 0; i < 1000; ++i) {
    const auto admission = connections.admit(kStart);
    ASSERT_NE(admission.dropped, owner);
    if (i % 2 == 0) connections.showed_key(admission.id, kStart);
  }
  EXPECT_LE(connections.unauthenticated(), 2U);
}

TEST(ConnectionTable, a_closed_connection_makes_room) {
  ConnectionTable connections(2);
  const auto first = connections.admit(kStart).id;
  const auto second = connections.admit(kStart).id;
  connections.left(second);
  EXPECT_FALSE(connections.admit(kStart).dropped);
  EXPECT_EQ(connections.admit(kStart).dropped, first);
  connections.left(first);  // its connection ends after it was dropped
  EXPECT_EQ(connections.unauthenticated(), 2U);
}

TEST(ConnectionTable, while_connections_send_keys_a_further_one_waits) {
  ConnectionTable connections(2);
  EXPECT_FALSE(connections.hold_until(kStart));
  const auto first = connections.admit(kStart).id;
  EXPECT_FALSE(connections.hold_until(kStart)) << "there is room";
  (void)connections.admit(kStart);
  EXPECT_EQ(connections.hold_until(kStart), kStart + ConnectionTable::kQuiet);
  const auto later = kStart + core::Millis(400);
  connections.showed_key(first, later);
  EXPECT_FALSE(connections.hold_until(later)) << "there is room again";
  (void)connections.admit(later);
  EXPECT_EQ(connections.hold_until(later), later + ConnectionTable::kQuiet);
}

TEST(ConnectionTable, connections_that_send_no_keys_do_not_let_others_wait) {
  ConnectionTable connections(2);
  for (int i = 0; i < 2; ++i) (void)connections.admit(kStart);
  const auto quiet = kStart + ConnectionTable::kQuiet;
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_FALSE(connections.hold_until(quiet)) << i;
    ASSERT_TRUE(connections.admit(quiet).dropped);
  }
}

TEST(ConnectionTable, a_single_key_among_many_connections_does_not_let_others_wait) {
  ConnectionTable connections(8);
  auto now = kStart + ConnectionTable::kQuiet;
  for (int i = 0; i < 100; ++i) (void)connections.admit(kStart);
  connections.showed_key(connections.admit(now).id, now);
  (void)connections.admit(now);
  EXPECT_FALSE(connections.hold_until(now)) << "an agent that starts now would have to wait";
  for (int i = 0; i < 100; ++i) connections.showed_key(connections.admit(now).id, now);
  (void)connections.admit(now);
  EXPECT_TRUE(connections.hold_until(now)) << "now nearly all of them are agents";
}

TEST(ConnectionTable, calls_of_guests_do_not_delay_agents_that_start_later) {
  ConnectionTable connections(8);
  for (int i = 0; i < 100; ++i) connections.guest_left(connections.admit(kStart).id);
  EXPECT_EQ(connections.unauthenticated(), 0U);
  for (int i = 0; i < 8; ++i) (void)connections.admit(kStart);
  EXPECT_TRUE(connections.hold_until(kStart)) << "the oldest would be closed although it may be an agent";
}

TEST(ConnectionTable, a_connection_without_a_key_is_dropped_after_some_time_even_while_others_send_keys) {
  ConnectionTable connections(2);
  const auto idle = connections.admit(kStart).id;
  auto now = kStart;
  for (; now < kStart + ConnectionTable::kLongestWait; now += core::Millis(100))
    connections.showed_key(connections.admit(now).id, now);
  (void)connections.admit(now);
  EXPECT_FALSE(connections.hold_until(now));
  EXPECT_EQ(connections.admit(now).dropped, idle);
}

TEST(BodyBudget, limits_the_total_of_all_bodies) {
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
