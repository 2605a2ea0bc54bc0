#include "backend/yarn/container_table.hpp"

#include "backend/yarn/container_end.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::backend {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Meaning = ContainerEnd::Meaning;

protocol::Prepare request(const std::string& role, int index, int attempt = 1) {
  protocol::Prepare prepare;
  prepare.attempt = {{role, index}, attempt};
  return prepare;
}

yarn::Container container(int number, const std::string& host = "node1") {
  yarn::Container made;
  made.id = {{{1700000000000, 1}, 1}, number};
  made.node = {host, 8041};
  made.resource = {.memory_mib = 2048, .vcores = 1};
  return made;
}

yarn::ContainerStatus ended_with(int exit_status, std::string diagnostics = "") {
  return {.id = container(2).id,
          .state = yarn::ContainerState::complete,
          .exit_status = exit_status,
          .diagnostics = std::move(diagnostics)};
}

AssignedContainer assigned_in(Phase phase, std::size_t failures = 0) {
  return {.request = request("worker", 0),
          .container = container(2),
          .phase = phase,
          .failures = std::vector<std::string>(failures, "a reason")};
}

TEST(ContainerTable, the_attempt_that_waits_longest_gets_the_next_container_of_its_role) {
  ContainerTable table;
  table.wait({.request = request("worker", 0)});
  table.wait({.request = request("server", 0)});
  table.wait({.request = request("worker", 1)});
  EXPECT_EQ(table.assign("worker", container(2), {})->request.attempt.str(), request("worker", 0).attempt.str());
  EXPECT_EQ(table.assign("worker", container(3), {})->request.attempt.str(), request("worker", 1).attempt.str());
  EXPECT_EQ(table.assign("worker", container(4), {}), nullptr);
  EXPECT_EQ(table.waiting("server").size(), 1U);
}

TEST(ContainerTable, an_attempt_that_was_given_up_gets_none) {
  ContainerTable table;
  table.wait({.request = request("worker", 0)});
  EXPECT_TRUE(table.stop_waiting({{"worker", 0}, 1}));
  EXPECT_FALSE(table.stop_waiting({{"worker", 0}, 1}));
  EXPECT_EQ(table.assign("worker", container(2), {}), nullptr);
}

TEST(ContainerTable, an_attempt_is_found_in_its_next_container_when_the_first_came_to_nothing) {
  ContainerTable table;
  table.wait({.request = request("worker", 0)});
  table.assign("worker", container(2), {})->phase = Phase::ended;
  table.wait({.request = request("worker", 0), .failures = {"a reason"}});
  table.assign("worker", container(3), {});
  ASSERT_NE(table.find(request("worker", 0).attempt), nullptr);
  EXPECT_EQ(table.find(request("worker", 0).attempt)->container.id, container(3).id);
  (void)table.take(container(2).id);
  EXPECT_NE(table.find(request("worker", 0).attempt), nullptr) << "it went with the container before";
  (void)table.take(container(3).id);
  EXPECT_EQ(table.find(request("worker", 0).attempt), nullptr);
}

TEST(ContainerTable, a_container_is_found_by_its_id_and_by_its_attempt_until_that_has_ended) {
  ContainerTable table;
  table.wait({.request = request("worker", 0)});
  auto* assigned = table.assign("worker", container(2), {});
  EXPECT_EQ(table.find(container(2).id), assigned);
  EXPECT_EQ(table.find(core::AttemptId{{"worker", 0}, 1}), assigned);
  assigned->phase = Phase::ended;
  EXPECT_EQ(table.find(core::AttemptId{{"worker", 0}, 1}), nullptr);
  EXPECT_EQ(table.find(container(2).id), assigned);
  EXPECT_EQ(table.take(container(2).id).container.id, container(2).id);
  EXPECT_EQ(table.find(container(2).id), nullptr);
}

TEST(ContainerTable, a_container_that_the_first_attempt_may_not_have_goes_to_the_next_that_may) {
  ContainerTable table;
  table.wait({.request = request("worker", 0), .not_on = {"node1"}});
  table.wait({.request = request("worker", 1)});
  const auto accepts = [](const WaitingAttempt& attempt) { return !attempt.not_on.contains("node1"); };
  const auto* assigned = table.assign("worker", container(2), {}, accepts);
  ASSERT_NE(assigned, nullptr);
  EXPECT_EQ(assigned->request.attempt, request("worker", 1).attempt);
  EXPECT_EQ(table.assign("worker", container(3), {}, accepts), nullptr);
  EXPECT_EQ(table.waiting("worker").size(), 1U);
}

TEST(ContainerTable, a_container_that_was_handed_over_is_that_of_the_next_attempt) {
  ContainerTable table;
  table.wait({.request = request("worker", 0), .failures = {"a reason"}});
  auto* assigned = table.assign("worker", container(2), {});
  assigned->phase = Phase::idle;
  table.hand_over(*assigned, request("worker", 0, 2), core::Instant(core::Seconds(9)));
  EXPECT_EQ(table.find(core::AttemptId{{"worker", 0}, 1}), nullptr);
  ASSERT_EQ(table.find(core::AttemptId{{"worker", 0}, 2}), assigned);
  EXPECT_EQ(assigned->phase, Phase::starting);
  EXPECT_THAT(assigned->failures, IsEmpty());
  EXPECT_EQ(assigned->since, core::Instant(core::Seconds(9)));
  EXPECT_EQ(table.take(container(2).id).request.attempt, request("worker", 0, 2).attempt);
  EXPECT_EQ(table.find(core::AttemptId{{"worker", 0}, 2}), nullptr);
}

TEST(ContainerEnds, of_an_attempt_that_is_over_mean_nothing) {
  EXPECT_EQ(classify_container_end(assigned_in(Phase::idle), ended_with(-102)).meaning, Meaning::nothing);
  EXPECT_EQ(classify_container_end(assigned_in(Phase::ended), ended_with(-105)).meaning, Meaning::nothing);
}

TEST(ContainerEnds, before_the_attempt_had_its_place_it_gets_another_container) {
  const auto end = classify_container_end(assigned_in(Phase::starting), ended_with(-1000, "no such file hdfs://x/y"));
  EXPECT_EQ(end.meaning, Meaning::try_again);
  EXPECT_EQ(end.cause, job::Cause::files);
  EXPECT_THAT(end.reason, HasSubstr("node1"));
  EXPECT_THAT(end.reason, HasSubstr("no such file hdfs://x/y"));
}

TEST(ContainerEnds, the_third_container_that_comes_to_nothing_is_the_last) {
  EXPECT_EQ(classify_container_end(assigned_in(Phase::starting, 1), ended_with(1)).meaning, Meaning::try_again);
  EXPECT_EQ(classify_container_end(assigned_in(Phase::starting, 2), ended_with(1)).meaning, Meaning::cannot_place);
}

TEST(ContainerEnds, that_are_not_the_fault_of_the_attempt_do_not_count) {
  for (const auto status : {-100, -101, -102, -105, -106, 154}) {
    EXPECT_EQ(classify_container_end(assigned_in(Phase::starting, 2), ended_with(status)).meaning, Meaning::try_again)
        << status;
  }
}

// As a NodeManager of Hadoop 3.4.1 wrote them.
TEST(ContainerEnds, that_hdfs_or_a_full_disk_caused_do_not_count) {
  const auto away = classify_container_end(
      assigned_in(Phase::starting, 2),
      ended_with(-1000,
                 "Call From vm/127.0.0.1 to 10.0.0.2:10000 failed on connection exception: "
                 "java.net.ConnectException: Connection refused; For more details see:  http://wiki/x"));
  EXPECT_EQ(away.meaning, Meaning::try_again);
  EXPECT_EQ(away.cause, job::Cause::cluster);
  EXPECT_EQ(
      away.reason,
      "its container on node1 ended: it could not be started: its files could not be downloaded to the host (Call "
      "From vm/127.0.0.1 to 10.0.0.2:10000 failed on connection exception: java.net.ConnectException: "
      "Connection refused)");
  const auto full = classify_container_end(assigned_in(Phase::starting, 2),
                                           ended_with(-1, "No space available in any of the local directories."));
  EXPECT_EQ(full.meaning, Meaning::try_again);
  EXPECT_EQ(full.cause, job::Cause::disk);
}

TEST(ContainerEnds, of_an_agent_that_called_count_as_its_loss_and_of_one_that_never_did_as_a_failed_start) {
  auto assigned = assigned_in(Phase::starting, 2);
  EXPECT_EQ(classify_container_end(assigned, ended_with(127)).cause, job::Cause::start_failed);
  EXPECT_EQ(classify_container_end(assigned, ended_with(127)).meaning, Meaning::cannot_place);
  assigned.has_called = true;
  EXPECT_EQ(classify_container_end(assigned, ended_with(137)).cause, job::Cause::agent_lost);
  EXPECT_EQ(classify_container_end(assigned, ended_with(137)).meaning, Meaning::try_again);
}

constexpr auto kUsage =
    "Container [pid=9] is running 379B beyond the 'PHYSICAL' memory limit. Current usage: 617.8 MB of 256 MB physical "
    "memory used; 4.0 GB of 2.5 GB virtual memory used. Killing container.";

TEST(ContainerEnds, for_too_much_memory_the_attempt_has_failed_by_itself) {
  const auto end = classify_container_end(assigned_in(Phase::launched), ended_with(-104, kUsage));
  EXPECT_EQ(end.meaning, Meaning::exited);
  EXPECT_TRUE(end.exit.out_of_memory);
  EXPECT_EQ(end.exit.memory_limit, 2048ULL << 20U);
  EXPECT_EQ(end.exit.peak_memory >> 20U, 617U);
}

TEST(ContainerEnds, for_the_memory_of_an_agent_are_not_an_exit_of_its_task) {
  for (const auto status : {-103, -104, -109}) {
    EXPECT_EQ(classify_container_end(assigned_in(Phase::placed), ended_with(status)).meaning, Meaning::lost);
    EXPECT_EQ(classify_container_end(assigned_in(Phase::starting), ended_with(status)).meaning, Meaning::try_again);
    EXPECT_EQ(classify_container_end(assigned_in(Phase::starting, 2), ended_with(status)).meaning,
              Meaning::cannot_place);
  }
}

TEST(ContainerEnds, for_too_large_logs_the_attempt_has_failed_by_itself) {
  const auto end = classify_container_end(assigned_in(Phase::launched), ended_with(-109));
  EXPECT_EQ(end.meaning, Meaning::exited);
  EXPECT_EQ(job::cause_of(end.exit), job::Cause::signal);
  EXPECT_EQ(end.exit.shell_code(), 137);
  EXPECT_THAT(job::describe(end.exit), HasSubstr("was killed by its NodeManager because its logs are too large"));
}

TEST(ContainerEnds, for_too_much_address_space_are_not_called_a_lack_of_memory) {
  const auto end = classify_container_end(assigned_in(Phase::launched), ended_with(-103, kUsage));
  EXPECT_EQ(end.meaning, Meaning::exited);
  EXPECT_EQ(job::describe(end.exit),
            "was killed by its NodeManager because it used too much virtual memory (4.0 GB of 2.5 GB): request more "
            "memory, or ask the administrator to set yarn.nodemanager.vmem-check-enabled to false");
}

TEST(ContainerEnds, are_recognised_without_diagnostics_of_the_nodemanager) {
  for (const auto* words : {"", "physical memory used", " of  physical memory used; of virtual memory used"}) {
    const auto end = classify_container_end(assigned_in(Phase::launched), ended_with(-104, words));
    EXPECT_THAT(job::describe(end.exit), HasSubstr("reached its limit of 2 GiB"));
  }
}

TEST(ContainerEnds, of_a_placed_or_running_attempt_mean_that_it_is_lost) {
  for (const auto phase : {Phase::placed, Phase::launched}) {
    const auto end = classify_container_end(assigned_in(phase), ended_with(-100));
    EXPECT_EQ(end.meaning, Meaning::lost);
    EXPECT_EQ(end.cause, job::Cause::host_lost);
  }
}

TEST(ContainerEnds, that_the_resource_manager_alone_decided_are_told_apart_by_its_words) {
  using job::Cause;
  const auto cause_of = [](std::string words, std::optional<yarn::NodeState> node = yarn::NodeState::running) {
    return classify_container_end(assigned_in(Phase::launched), ended_with(-100, std::move(words)), node).cause;
  };
  EXPECT_EQ(cause_of("Container released by application"), Cause::stopped);
  EXPECT_EQ(cause_of("Container released on a *lost* node"), Cause::host_lost);
  EXPECT_EQ(cause_of("Container released on a *lost* node", yarn::NodeState::lost), Cause::host_lost);
  EXPECT_EQ(cause_of("Container released on a *lost* node", yarn::NodeState::decommissioned), Cause::decommissioned);
  EXPECT_EQ(cause_of("Container of a completed application"), Cause::cluster);
  EXPECT_EQ(cause_of("Container expired since it was unused"), Cause::cluster);
  EXPECT_EQ(cause_of("Container reservation no longer required."), Cause::cluster);
  EXPECT_EQ(cause_of("", std::nullopt), Cause::host_lost);
}

TEST(ContainerEnds, have_the_cause_that_their_status_names) {
  using job::Cause;
  const std::vector<std::pair<int, Cause>> causes{
      {-101, Cause::disk},    {-102, Cause::preempted}, {-105, Cause::stopped}, {-106, Cause::cluster},
      {-108, Cause::cluster}, {154, Cause::cluster},    {-1000, Cause::files},  {1, Cause::agent_lost}};
  for (const auto& [status, cause] : causes)
    EXPECT_EQ(classify_container_end(assigned_in(Phase::launched), ended_with(status)).cause, cause) << status;
}

TEST(ContainerEnds, of_an_image_that_never_ran_an_agent_say_what_it_may_lack) {
  using Start = yarn::ImageRuntime::Start;
  EXPECT_THAT(image_hint({.image = "x:1"}, 127), HasSubstr("with bash, which x:1 may not contain"));
  EXPECT_THAT(image_hint({.image = "x:1"}, 1), IsEmpty());
  EXPECT_THAT(image_hint({.image = "x:1", .start = Start::entry_point}, 0), HasSubstr("does not run its arguments"));
  EXPECT_THAT(image_hint({.image = "x:1", .start = Start::entry_point}, 127), IsEmpty());
}

}  // namespace
}  // namespace ydl::backend
