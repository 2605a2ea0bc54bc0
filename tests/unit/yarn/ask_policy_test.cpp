#include "yarn/ask_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::yarn {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr AskKey kKey{{1}, 1};

NodeRoom node(std::string host, std::int64_t gibibytes, std::string rack = "/r1") {
  return {.host = std::move(host), .rack = std::move(rack), .free = {.memory_mib = gibibytes * 1024, .vcores = 64}};
}

RoleAsk role(std::int64_t gibibytes = 1) {
  return {.key = kKey, .resource = {.memory_mib = gibibytes * 1024, .vcores = 1}};
}

// Entries as "location: count", with "!" if locality is not relaxed.
std::vector<std::string> text(const AskTable& table) {
  std::vector<std::string> entries;
  for (const auto& [place, count] : table) {
    entries.push_back(place + ": " + std::to_string(count.count) + (count.relax_locality ? "" : "!"));
  }
  return entries;
}

std::vector<std::string> plan(const RoleAsk& ask, int count, const std::vector<NodeRoom>& nodes,
                              AskStyle style = AskStyle::by_host) {
  return text(plan_asks(ask, count, nodes, style));
}

TEST(AskPolicy, hosts_their_racks_and_anywhere_are_named_together) {
  EXPECT_THAT(plan(role(), 4, {node("a", 8), node("b", 8), node("c", 8, "/r2")}),
              ElementsAre("*: 4", "/r1: 3", "/r2: 1", "a: 2", "b: 1", "c: 1"));
}

TEST(AskPolicy, other_hosts_are_not_allowed_while_the_arrangement_is_possible) {
  EXPECT_THAT(plan(role(), 2, {node("a", 8), node("b", 8)}, AskStyle::only_hosts),
              ElementsAre("*: 2!", "/r1: 2!", "a: 1", "b: 1"));
  EXPECT_THAT(plan(role(), 3, {node("a", 1), node("b", 1)}, AskStyle::only_hosts),
              ElementsAre("*: 3", "/r1: 2", "a: 1", "b: 1"))
      << "no room is known for the third one, so there is no reason to wait for these hosts";
  EXPECT_THAT(plan(role(), 2, {}, AskStyle::only_hosts), ElementsAre("*: 2"));
}

TEST(AskPolicy, spreading_starts_with_the_hosts_with_the_most_room) {
  EXPECT_THAT(plan(role(), 2, {node("a", 2), node("b", 8), node("c", 4)}),
              ElementsAre("*: 2", "/r1: 2", "b: 1", "c: 1"));
}

TEST(AskPolicy, spreading_considers_existing_containers_of_the_role) {
  auto crowded = node("a", 100);
  crowded.of_role = 3;
  EXPECT_THAT(plan(role(), 4, {crowded, node("b", 8), node("c", 8)}), ElementsAre("*: 4", "/r1: 4", "b: 2", "c: 2"));
}

TEST(AskPolicy, a_small_host_gets_only_what_fits) {
  EXPECT_THAT(plan(role(), 6, {node("a", 1), node("b", 8)}), ElementsAre("*: 6", "/r1: 6", "a: 1", "b: 5"));
}

TEST(AskPolicy, packing_uses_as_few_hosts_as_possible) {
  auto ask = role();
  ask.arrangement = Arrangement::pack;
  EXPECT_THAT(plan(ask, 5, {node("a", 2), node("b", 4), node("c", 8)}), ElementsAre("*: 5", "/r1: 5", "c: 5"));
  EXPECT_THAT(plan(ask, 10, {node("a", 2), node("b", 4), node("c", 8)}),
              ElementsAre("*: 10", "/r1: 10", "b: 2", "c: 8"));
}

TEST(AskPolicy, packing_first_fills_hosts_that_have_containers_of_the_role) {
  auto ask = role();
  ask.arrangement = Arrangement::pack;
  auto started = node("a", 2);
  started.of_role = 1;
  EXPECT_THAT(plan(ask, 3, {started, node("b", 8)}), ElementsAre("*: 3", "/r1: 3", "a: 2", "b: 1"));
}

TEST(AskPolicy, full_unusable_and_differently_labelled_hosts_are_not_named) {
  auto lost = node("lost", 8);
  lost.usable = false;
  auto labelled = node("gpu", 8);
  labelled.label = "gpu";
  EXPECT_THAT(plan(role(), 2, {node("full", 0), lost, labelled, node("a", 8)}), ElementsAre("*: 2", "/r1: 2", "a: 2"));
}

TEST(AskPolicy, only_hosts_with_the_label_are_named) {
  auto ask = role();
  ask.label = "gpu";
  auto labelled = node("b", 8);
  labelled.label = "gpu";
  EXPECT_THAT(plan(ask, 2, {node("a", 8), labelled}), ElementsAre("*: 2", "/r1: 2", "b: 2"));
}

TEST(AskPolicy, every_requested_type_must_be_free) {
  auto ask = role();
  ask.resource.others = {{"yarn.io/gpu", 2}};
  auto gpus = node("b", 8);
  gpus.free.others = {{"yarn.io/gpu", 5}};
  EXPECT_THAT(plan(ask, 3, {node("a", 64), gpus}), ElementsAre("*: 3", "/r1: 2", "b: 2"));
}

TEST(AskPolicy, without_room_no_host_is_named) {
  EXPECT_THAT(plan(role(16), 2, {node("a", 8)}), ElementsAre("*: 2"));
  EXPECT_THAT(plan(role(), 2, {}), ElementsAre("*: 2"));
}

TEST(AskPolicy, the_style_anywhere_names_no_hosts) {
  EXPECT_THAT(plan(role(), 4, {node("a", 8)}, AskStyle::anywhere), ElementsAre("*: 4"));
}

TEST(AskPolicy, no_need_means_no_request) {
  EXPECT_THAT(plan(role(), 0, {node("a", 8)}), ElementsAre());
  EXPECT_THAT(plan(role(), -1, {node("a", 8)}), ElementsAre());
}

TEST(AskPolicy, a_role_for_some_hosts_is_not_requested_elsewhere) {
  auto ask = role();
  ask.hosts = {"b", "c"};
  EXPECT_THAT(plan(ask, 2, {node("a", 8), node("b", 8), node("c", 8, "/r2")}),
              ElementsAre("*: 2!", "/r1: 1!", "/r2: 1!", "b: 1", "c: 1"));
}

TEST(AskPolicy, a_role_for_full_hosts_is_requested_at_all_of_them) {
  auto ask = role();
  ask.hosts = {"b", "c"};
  EXPECT_THAT(plan(ask, 2, {node("a", 8), node("b", 1), node("c", 0)}),
              ElementsAre("*: 2!", "/r1: 2!", "b: 2", "c: 2"));
  EXPECT_THAT(plan(ask, 2, {node("b", 8)}, AskStyle::anywhere), ElementsAre("*: 2!", "/r1: 2!", "b: 2", "c: 2"));
}

TEST(AskPolicy, a_role_for_a_rack_may_use_any_of_its_hosts) {
  auto ask = role();
  ask.racks = {"/r2"};
  EXPECT_THAT(plan(ask, 1, {node("a", 8), node("b", 8, "/r2")}), ElementsAre("*: 1!", "/r2: 1", "b: 1"));
  EXPECT_THAT(plan(ask, 9, {node("a", 8), node("b", 8, "/r2")}), ElementsAre("*: 9!", "/r2: 9"));
}

TEST(AskPolicy, two_node_managers_of_one_host_are_one_location) {
  EXPECT_THAT(plan(role(), 4, {node("a", 2), node("a", 2)}), ElementsAre("*: 4", "/r1: 4", "a: 4"));
}

// In any cluster, no host is asked for more than it has, and the total is never more than needed.
TEST(AskPolicy, no_host_is_overbooked_in_clusters_of_many_shapes) {
  for (int shape = 0; shape < 200; ++shape) {
    std::vector<NodeRoom> nodes;
    for (int i = 0; i < shape % 17; ++i) {
      nodes.push_back(node("h" + std::to_string(i), (shape * 7 + i * 5) % 11, i % 3 == 0 ? "/r1" : "/r2"));
      nodes.back().of_role = (shape + i) % 4;
      nodes.back().usable = (shape + i) % 5 != 0;
    }
    auto ask = role(1 + shape % 3);
    ask.arrangement = shape % 2 == 0 ? Arrangement::spread : Arrangement::pack;
    const int count = 1 + shape % 13;
    const auto table = plan_asks(ask, count, nodes, AskStyle::by_host);
    int on_hosts = 0;
    std::int64_t room = 0;
    for (const auto& at : nodes) {
      const auto fits = at.usable ? times_it_fits(ask.resource, at.free, count) : 0;
      room += fits;
      const auto named = table.find(at.host);
      if (named == table.end()) continue;
      EXPECT_GT(named->second.count, 0);
      EXPECT_LE(named->second.count, fits) << shape << ' ' << at.host;
      on_hosts += named->second.count;
    }
    EXPECT_EQ(on_hosts, std::min<std::int64_t>(count, room)) << shape;
    int on_racks = 0;
    for (const auto* rack : {"/r1", "/r2"}) on_racks += table.contains(rack) ? table.find(rack)->second.count : 0;
    EXPECT_EQ(on_racks, on_hosts) << shape;
    EXPECT_EQ(table.find(kAnywhere)->second, (LocationCount{count, true})) << shape;
  }
}

}  // namespace
}  // namespace ydl::yarn
