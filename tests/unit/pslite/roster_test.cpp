#include "pslite/roster.hpp"

#include "pslite/protocol.hpp"

#include <gtest/gtest.h>

namespace ydl::pslite {
namespace {

NodeRecord node(Role role, std::string host, std::uint16_t port, std::optional<int> task = std::nullopt) {
  return {.role = role,
          .host = std::move(host),
          .port = port,
          .task = task ? std::optional(TaskId{std::string(name(role)), *task}) : std::nullopt};
}

std::vector<std::string> in_order(const Roster& roster) {
  std::vector<std::string> out;
  for (const auto& n : roster.nodes()) out.push_back(identity_of(*n.id) + "=" + n.host + ":" + std::to_string(n.port));
  return out;
}

TEST(Roster, ranks_follow_host_and_port_if_no_task_is_known) {
  Roster roster(3, 1);
  (void)roster.add(node(Role::worker, "b", 9));
  (void)roster.add(node(Role::worker, "a", 100));
  (void)roster.add(node(Role::server, "z", 1));
  (void)roster.add(node(Role::worker, "a", 20));
  roster.assign_ids();
  EXPECT_EQ(in_order(roster), (std::vector<std::string>{"ps8=z:1", "ps9=a:20", "ps11=a:100", "ps13=b:9"}));
}

TEST(Roster, a_known_task_gets_its_index_and_other_nodes_the_remaining_ranks) {
  Roster roster(3, 0);
  (void)roster.add(node(Role::worker, "a", 1, 2));
  (void)roster.add(node(Role::worker, "b", 1));
  (void)roster.add(node(Role::worker, "c", 1, 0));
  roster.assign_ids();
  EXPECT_EQ(in_order(roster), (std::vector<std::string>{"ps9=c:1", "ps11=b:1", "ps13=a:1"}));
}

TEST(Roster, a_role_with_fewer_tasks_is_ranked_in_their_order) {
  Roster roster(5, 0);
  roster.expect_workers(3);
  (void)roster.add(node(Role::worker, "a", 1, 4));
  (void)roster.add(node(Role::worker, "b", 1, 1));
  (void)roster.add(node(Role::worker, "c", 1, 3));
  ASSERT_TRUE(roster.complete());
  roster.assign_ids();
  EXPECT_EQ(in_order(roster), (std::vector<std::string>{"ps9=b:1", "ps11=c:1", "ps13=a:1"}));
}

TEST(Roster, an_index_that_is_used_twice_or_too_large_is_ignored) {
  Roster roster(3, 0);
  (void)roster.add(node(Role::worker, "a", 1, 7));
  (void)roster.add(node(Role::worker, "b", 1, 0));
  (void)roster.add(node(Role::worker, "c", 1, 0));
  roster.assign_ids();
  EXPECT_EQ(in_order(roster), (std::vector<std::string>{"ps9=b:1", "ps11=a:1", "ps13=c:1"}));
}

TEST(Roster, a_task_is_found_by_its_port_or_if_it_is_the_only_one_on_its_host) {
  Roster roster(4, 1);
  roster.expect({.task = {"worker", 0}, .role = Role::worker, .host = "a", .port = 5});
  roster.expect({.task = {"worker", 1}, .role = Role::worker, .host = "b"});
  roster.expect({.task = {"worker", 2}, .role = Role::worker, .host = "c"});
  roster.expect({.task = {"worker", 3}, .role = Role::worker, .host = "c"});
  roster.expect({.task = {"server", 0}, .role = Role::server, .host = "b"});
  EXPECT_EQ(roster.task_at(Role::worker, "a", 5)->task.str(), "worker:0");
  EXPECT_TRUE(roster.task_at(Role::worker, "a", 5)->exact);
  EXPECT_FALSE(roster.task_at(Role::worker, "a", 6));
  EXPECT_EQ(roster.task_at(Role::worker, "b", 77)->task.str(), "worker:1");
  EXPECT_FALSE(roster.task_at(Role::worker, "b", 77)->exact);
  EXPECT_EQ(roster.task_at(Role::server, "b", 77)->task.str(), "server:0");
  EXPECT_FALSE(roster.task_at(Role::worker, "c", 1));
}

TEST(Roster, finds_nodes_by_id_only_within_its_ranks) {
  Roster roster(1, 1);
  EXPECT_EQ(roster.find(NodeId{9}), nullptr);
  (void)roster.add(node(Role::worker, "w", 1));
  (void)roster.add(node(Role::server, "s", 1));
  roster.assign_ids();
  EXPECT_EQ(roster.find(NodeId{8})->host, "s");
  EXPECT_EQ(roster.find(NodeId{9})->host, "w");
  for (const int id : {-5, 0, 1, 7, 10, 11, 2147483646}) EXPECT_EQ(roster.find(NodeId{id}), nullptr) << id;
}

TEST(Roster, missing_tasks_are_named_only_if_they_are_certain) {
  Roster roster(2, 2);
  EXPECT_EQ(roster.registration_text(),
            "0 of 2 servers and 0 of 2 workers have registered; missing: 2 servers, 2 workers");
  for (int i = 0; i < 2; ++i)
    roster.expect({.task = {"worker", i}, .role = Role::worker, .host = "w" + std::to_string(i)});
  (void)roster.add(node(Role::worker, "w0", 1, 0));
  (void)roster.add(node(Role::server, "s", 1));
  EXPECT_EQ(roster.registration_text(),
            "1 of 2 servers and 1 of 2 workers have registered; missing: 1 server, worker:1");
  (void)roster.ended({.task = {"worker", 1}, .outlook = Outlook::gone, .how = "ended with code 3"});
  EXPECT_EQ(roster.registration_text(),
            "1 of 2 servers and 1 of 2 workers have registered; missing: 1 server, worker:1 (ended with code 3)");
}

}  // namespace
}  // namespace ydl::pslite
