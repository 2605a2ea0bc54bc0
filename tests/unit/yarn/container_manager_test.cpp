// Correct and wrong answers of NodeManagers.
#include "yarn/container_manager.hpp"

#include "core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ydl::yarn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ContainerId id(int number, int application = 1) {
  return {{{1'700'000'000'000, application}, 1}, number};
}

ContainerManager::Failure failure(const ContainerId& container, const std::string& message) {
  return {container, {core::Errc::io, message}};
}

std::vector<std::string> reasons(const ContainerManager::Outcome& outcome) {
  std::vector<std::string> reasons;
  for (const auto& one : outcome.failed) reasons.push_back(one.id.str() + ": " + one.error.message);
  return reasons;
}

TEST(ContainerManager, only_requested_containers_of_an_answer_count) {
  const std::vector asked = {id(2), id(3)};
  const auto outcome = settled({.done = {id(3), id(9)},
                                .failed = {failure(id(2), "no room"), failure(id(4), "of another host"),
                                           failure(id(3, 77), "of another application")}},
                               asked);
  EXPECT_THAT(outcome.done, ElementsAre(id(3)));
  EXPECT_THAT(reasons(outcome), ElementsAre("container_1700000000000_0001_01_000002: no room"));
}

TEST(ContainerManager, a_container_missing_in_the_answer_has_failed) {
  const std::vector asked = {id(2)};
  const auto outcome = settled({}, asked);
  EXPECT_THAT(outcome.done, IsEmpty());
  EXPECT_THAT(reasons(outcome),
              ElementsAre("container_1700000000000_0001_01_000002: the NodeManager's answer does not contain "
                          "container_1700000000000_0001_01_000002"));
}

TEST(ContainerManager, a_container_that_is_both_started_and_failed_has_failed_once) {
  const std::vector asked = {id(2)};
  const auto outcome =
      settled({.done = {id(2), id(2)}, .failed = {failure(id(2), "first"), failure(id(2), "second")}}, asked);
  EXPECT_THAT(outcome.done, IsEmpty());
  EXPECT_THAT(reasons(outcome), ElementsAre("container_1700000000000_0001_01_000002: first"));
}

}  // namespace
}  // namespace ydl::yarn
