#include "master/rendezvous.hpp"

#include "support/loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace ydl::master {
namespace {

using core::TaskState;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Next = job::MemberEnded::Next;

const core::TaskId kServer{"server", 0};

std::string brief(const core::AttemptId& attempt) {
  return fmt::format("{}#{}", attempt.task.str(), attempt.attempt);
}

// "server:0#1 expects worker:0#1 at 10.0.0.7:7000", "server:0#1 hears that worker:0#1 restarts"
std::string text(const protocol::Notice& notice) {
  if (const auto* expect = std::get_if<protocol::SchedulerExpect>(&notice)) {
    auto line = brief(expect->attempt) + " at " + expect->host + " expects";
    for (const auto& node : expect->nodes)
      line += fmt::format(" {} at {}:{}", brief(node.attempt), node.host, node.port);
    for (const auto& address : expect->addresses) line += " or " + address;
    return line;
  }
  const auto& ended = std::get<protocol::SchedulerEnded>(notice);
  return fmt::format("{} hears that {}: {}", brief(ended.attempt), brief(ended.node), core::name(ended.next));
}

framework::Gang gang() {
  framework::Gang gang;
  gang.members = {{{"worker", 0}, "10.0.0.7", {7000, 7001}}, {kServer, "10.0.0.8", {8000, 8001, 9000}}};
  return gang;
}

job::TaskSnapshot task(const core::TaskId& id, TaskState state, int attempt = 1) {
  job::TaskSnapshot one;
  one.id = id;
  one.attempt = attempt;
  one.state = state;
  if (state != TaskState::waiting) one.place = job::Place{"10.0.0.7", "node7", {7000}};
  return one;
}

class RendezvousTest : public ::testing::Test {
 protected:
  Rendezvous make(std::optional<core::TaskId> at) {
    return {loop.executor(),
            {.plan = {.workers = 1, .servers = 1, .listen = "127.0.0.1"},
             .at = std::move(at),
             .master = "10.0.0.1",
             .port_range = std::nullopt,
             .agent_addresses = [] { return std::vector<std::string>{"10.1.0.7"}; },
             .attempt_of = [this](const core::TaskId&) { return attempt; }},
            {[this](const protocol::Notice& notice) { passed.push_back(text(notice)); }, [](std::string) {},
             [this](std::string note) { notes.push_back(std::move(note)); }}};
  }

  test::Loop loop;
  std::optional<int> attempt = 1;
  std::vector<std::string> passed;
  std::vector<std::string> notes;
};

TEST_F(RendezvousTest, the_agent_of_the_first_server_is_asked_for_it_and_its_last_port_is_the_schedulers) {
  const auto rendezvous = make(kServer);
  EXPECT_TRUE(rendezvous.scheduler_of(kServer));
  EXPECT_FALSE(rendezvous.scheduler_of({"server", 1}));
  EXPECT_FALSE(rendezvous.scheduler_of({"worker", 0}));
  auto members = gang();
  rendezvous.put_into(members);
  EXPECT_EQ(members.scheduler_host, "10.0.0.8");
  EXPECT_EQ(members.scheduler_port, 9000);
  EXPECT_THAT(members.member(kServer).ports, ElementsAre(8000, 8001));
  EXPECT_THAT(members.member({"worker", 0}).ports, ElementsAre(7000, 7001));
}

TEST_F(RendezvousTest, its_agent_is_told_who_starts_and_who_ended_until_it_is_closed) {
  auto rendezvous = make(kServer);
  ASSERT_TRUE(rendezvous.open());
  auto members = gang();
  rendezvous.put_into(members);
  rendezvous.launching(members, {{{"worker", 0}, 1}, {kServer, 1}});
  rendezvous.ended({{{"worker", 0}, 1}, Next::restarts, "was killed by signal 9"});
  EXPECT_THAT(passed, ElementsAre("server:0#1 at 10.0.0.8 expects worker:0#1 at 10.0.0.7:7000 server:0#1 at "
                                  "10.0.0.8:8000 or 10.1.0.7",
                                  "server:0#1 hears that worker:0#1: restarts"));
  rendezvous.close();
  passed.clear();
  rendezvous.ended({{{"worker", 0}, 1}, Next::gone, "was stopped"});
  EXPECT_THAT(passed, IsEmpty());
  attempt = 2;
  ASSERT_TRUE(rendezvous.open());
  rendezvous.ended({{{"worker", 0}, 2}, Next::left, ""});
  EXPECT_THAT(passed, ElementsAre("server:0#2 hears that worker:0#2: left"));
}

TEST_F(RendezvousTest, without_such_a_task_this_process_runs_it_and_is_told_the_same) {
  auto rendezvous = make(std::nullopt);
  EXPECT_FALSE(rendezvous.scheduler_of(kServer));
  ASSERT_TRUE(rendezvous.open());
  auto members = gang();
  rendezvous.put_into(members);
  EXPECT_EQ(members.scheduler_host, "10.0.0.1");
  EXPECT_NE(members.scheduler_port, 0);
  EXPECT_THAT(members.member(kServer).ports, ElementsAre(8000, 8001, 9000));
  rendezvous.launching(members, {{{"worker", 0}, 1}, {kServer, 1}});
  rendezvous.ended({{kServer, 1}, Next::left, ""});
  EXPECT_TRUE(loop.until([&] { return notes.size() == 1; }));
  EXPECT_THAT(passed, IsEmpty());
}

TEST_F(RendezvousTest, a_master_that_was_restarted_says_again_what_it_is_told_by_its_replay) {
  auto rendezvous = make(kServer);
  auto members = gang();
  rendezvous.put_into(members);
  job::Snapshot snapshot;
  snapshot.state = job::JobState::placing;
  rendezvous.repeat_state(members, snapshot);
  EXPECT_THAT(passed, IsEmpty());
  snapshot.state = job::JobState::running;
  snapshot.tasks = {task({"worker", 0}, TaskState::succeeded, 2), task(kServer, TaskState::running)};
  rendezvous.repeat_state(members, snapshot);
  EXPECT_THAT(passed, ElementsAre("server:0#1 at 10.0.0.8 expects worker:0#2 at 10.0.0.7:7000 server:0#1 at "
                                  "10.0.0.8:8000 or 10.1.0.7",
                                  "server:0#1 hears that worker:0#2: left"));
  rendezvous.ended({{kServer, 1}, Next::left, ""});
  EXPECT_EQ(passed.size(), 3U) << "and goes on";
}

TEST(RendezvousEnds, every_state_of_a_task_tells_whether_it_comes_again) {
  job::Snapshot snapshot;
  for (const auto state :
       {TaskState::waiting, TaskState::placed, TaskState::starting, TaskState::running, TaskState::stopping,
        TaskState::succeeded, TaskState::failed, TaskState::stopped, TaskState::lost})
    snapshot.tasks.push_back(task({"worker", static_cast<int>(snapshot.tasks.size())}, state));
  std::vector<std::string> ends;
  for (const auto& end : ends_in(snapshot))
    ends.push_back(fmt::format("{} {}", brief(end.attempt), core::name(end.next)));
  EXPECT_THAT(ends, ElementsAre("worker:0#1 restarts", "worker:5#1 left", "worker:6#1 unknown", "worker:7#1 gone",
                                "worker:8#1 gone"));
}

spec::JobSpec mxnet_job() {
  spec::JobSpec spec;
  spec.framework = "mxnet";
  spec.roles.resize(2);
  spec.roles[0].name = "worker";
  spec.roles[1].name = "server";
  for (auto& role : spec.roles) role.command = {"train"};
  return spec;
}

std::optional<core::TaskId> place_of(const spec::JobSpec& spec, core::ClusterKind cluster) {
  const auto plan = make_plan(spec, find_on_path, cluster);
  if (!plan) {
    ADD_FAILURE() << plan.error().message;
    return std::nullopt;
  }
  return plan->job.rendezvous_at;
}

TEST(SchedulerTask, the_scheduler_is_at_the_first_server_wherever_tasks_reach_it_and_its_loss_restarts_all) {
  using core::ClusterKind;
  auto spec = mxnet_job();
  EXPECT_EQ(place_of(spec, ClusterKind::local), kServer);
  EXPECT_EQ(place_of(spec, ClusterKind::yarn), kServer);

  auto alone = spec;
  alone.roles[1].restart = "task";
  EXPECT_EQ(place_of(alone, ClusterKind::yarn), std::nullopt);
  auto side = spec;
  side.roles[1].kind = "side";
  EXPECT_EQ(place_of(side, ClusterKind::yarn), std::nullopt);

  spec.image.emplace().name = "mxnet:1.9.1";
  EXPECT_EQ(place_of(spec, ClusterKind::yarn), kServer);
  spec.image->network = "overlay";
  EXPECT_EQ(place_of(spec, ClusterKind::yarn), std::nullopt) << "the NodeManager puts the agent into it";
  spec.image->runtime = "podman";
  EXPECT_EQ(place_of(spec, ClusterKind::yarn), kServer) << "only the task is in it";

  auto other = mxnet_job();
  other.framework = "none";
  EXPECT_EQ(place_of(other, ClusterKind::yarn), std::nullopt);
}

}  // namespace
}  // namespace ydl::master
