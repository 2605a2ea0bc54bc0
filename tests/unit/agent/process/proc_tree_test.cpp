#include "agent/process/proc_tree.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <unistd.h>

namespace ydl::agent {
namespace {

std::vector<pid_t> ids(const std::vector<ProcessLink>& links) {
  std::vector<pid_t> found;
  for (const auto& link : links) found.push_back(link.pid);
  std::ranges::sort(found);
  return found;
}

TEST(ProcTree, a_stat_line_gives_parent_group_session_and_state) {
  const auto link = parse_stat("5190 (cat) R 5188 5187 3167 0 -1 4194304 103 0 0\n");
  ASSERT_TRUE(link);
  EXPECT_EQ(link->pid, 5190);
  EXPECT_EQ(link->parent, 5188);
  EXPECT_EQ(link->group, 5187);
  EXPECT_EQ(link->session, 3167);
  EXPECT_FALSE(link->is_zombie());
}

TEST(ProcTree, a_name_with_parentheses_and_spaces_does_not_mislead) {
  const auto link = parse_stat("7 (a) R 1 (b) Z 3 4 5 0");
  ASSERT_TRUE(link);
  EXPECT_EQ(link->parent, 3);
  EXPECT_TRUE(link->is_zombie());
}

TEST(ProcTree, a_cut_or_foreign_line_is_refused) {
  for (const auto* text : {"", "7", "7 (x)", "7 (x) R", "7 (x) R 1", "7 (x) R 1 2", "7 (x) R 1 2 3", "x (x) R 1 2 3 0",
                           "7 (x)R 1 2 3 0", "-7 (x) R 1 2 3 0", "7 (x) R a 2 3 0", "7 )x( R 1 2 3 0"}) {
    EXPECT_FALSE(parse_stat(text)) << text;
  }
}

TEST(ProcTree, only_descendants_are_found_over_generations) {
  const std::vector<ProcessLink> all{{1, 0}, {10, 1}, {11, 10}, {12, 11}, {13, 10}, {20, 1}, {21, 20}};
  EXPECT_EQ(ids(descendants_of(10, all)), (std::vector<pid_t>{11, 12, 13}));
  EXPECT_TRUE(descendants_of(12, all).empty());
}

TEST(ProcTree, excepted_children_are_spared_with_all_below_them) {
  const std::vector<ProcessLink> all{{10, 1}, {11, 10}, {12, 11}, {13, 10}, {14, 13}};
  const std::vector<pid_t> spared{11};
  EXPECT_EQ(ids(descendants_of(10, all, spared)), (std::vector<pid_t>{13, 14}));
}

TEST(ProcTree, a_circle_made_by_reused_ids_ends_the_walk) {
  const std::vector<ProcessLink> all{{10, 12}, {11, 10}, {12, 11}};
  EXPECT_EQ(ids(descendants_of(10, all)), (std::vector<pid_t>{11, 12}));
}

TEST(ProcTree, this_process_is_listed) {
  const auto all = list_processes();
  EXPECT_TRUE(std::ranges::any_of(all, [](const ProcessLink& link) { return link.pid == ::getpid(); }));
}

}  // namespace
}  // namespace ydl::agent
