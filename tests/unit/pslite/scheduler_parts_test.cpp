#include "pslite/barriers.hpp"
#include "pslite/heartbeats.hpp"
#include "pslite/newcomers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::pslite {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Instant at(int seconds) {
  return Instant(core::Seconds(seconds));
}

// A roster with one server and two workers, all registered.
Roster three_nodes() {
  Roster roster(2, 1);
  for (const auto role : {Role::server, Role::worker, Role::worker}) {
    const auto port = static_cast<std::uint16_t>(9000 + roster.nodes().size());
    (void)roster.add(NodeRecord{.role = role, .host = "10.0.0.1", .port = port});
  }
  roster.assign_ids();
  return roster;
}

Newcomer newcomer(std::uint64_t link, int deadline) {
  return {.link = LinkId{link}, .node = Node{.role = Role::worker}, .deadline = at(deadline)};
}

TEST(Barriers, of_all_nodes_start_and_end_the_job) {
  const auto roster = three_nodes();
  Barriers barriers;
  for (const auto passed : {Barriers::Passed::some, Barriers::Passed::last}) {
    for (const auto& node : roster.nodes()) {
      barriers.enter({kAllGroups, 0}, *node.id, 0, at(1));
      EXPECT_EQ(barriers.is_complete({kAllGroups, 0}, roster), &node == &roster.nodes().back());
    }
    EXPECT_EQ(barriers.open({kAllGroups, 0}).passed, passed);
    EXPECT_TRUE(barriers.started());
    EXPECT_FALSE(barriers.training());
  }
}

TEST(Barriers, a_permanently_failed_node_breaks_the_barrier_of_the_others) {
  auto roster = three_nodes();
  Barriers barriers;
  barriers.enter({kWorkerGroup, 0}, *roster.nodes()[1].id, 0, at(1));
  EXPECT_EQ(barriers.why_broken({kWorkerGroup, 0}, roster), std::nullopt);
  roster.nodes()[2].state = NodeState::gone;
  EXPECT_THAT(*barriers.why_broken({kWorkerGroup, 0}, roster), HasSubstr("failed and will not be restarted"));
}

TEST(Barriers, a_stall_is_reported_once_with_the_missing_nodes) {
  const auto roster = three_nodes();
  Barriers barriers;
  EXPECT_EQ(barriers.next_stall(core::Seconds(60)), std::nullopt);
  barriers.enter({kWorkerGroup, 0}, *roster.nodes()[1].id, 0, at(1));
  EXPECT_EQ(barriers.next_stall(core::Seconds(60)), at(61));
  EXPECT_THAT(barriers.new_stalls(roster, at(60), core::Seconds(60)), IsEmpty());
  EXPECT_THAT(barriers.new_stalls(roster, at(61), core::Seconds(60)),
              ElementsAre(HasSubstr("worker 1 (10.0.0.1:9002)")));
  EXPECT_THAT(barriers.new_stalls(roster, at(99), core::Seconds(60)), IsEmpty());
  EXPECT_EQ(barriers.next_stall(core::Seconds(60)), std::nullopt);
}

TEST(Heartbeats, are_expected_only_from_nodes_that_have_sent_one) {
  auto roster = three_nodes();
  Heartbeats heartbeats(core::Seconds(10));
  EXPECT_EQ(heartbeats.next_deadline(), std::nullopt);
  heartbeats.heard(roster.nodes()[0], at(1));
  heartbeats.heard(roster.nodes()[1], at(5));
  EXPECT_EQ(heartbeats.look(roster, at(10)), std::nullopt);
  EXPECT_THAT(*heartbeats.look(roster, at(11)), ElementsAre(roster.nodes().data()));
  EXPECT_EQ(roster.nodes()[0].state, NodeState::silent);
  EXPECT_EQ(heartbeats.next_deadline(), at(15));
}

TEST(Newcomers, join_in_order_of_arrival) {
  Newcomers newcomers;
  for (const int link : {1, 2, 3}) newcomers.add(newcomer(static_cast<std::uint64_t>(link), 30 - link));
  EXPECT_EQ(newcomers.next_deadline(), at(27));
  newcomers.forget(LinkId{1});
  EXPECT_EQ(newcomers.take_first([](const Newcomer&) { return true; })->link, LinkId{2});
  EXPECT_THAT(newcomers.take_expired(at(26)), IsEmpty());
  EXPECT_EQ(newcomers.take_expired(at(27)).size(), 1U);
  EXPECT_FALSE(newcomers.take_first([](const Newcomer&) { return true; }));
}

}  // namespace
}  // namespace ydl::pslite
