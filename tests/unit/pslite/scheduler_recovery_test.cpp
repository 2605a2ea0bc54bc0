// Nodes that end, that are replaced, and surplus nodes.
#include "unit/pslite/fsm_script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::pslite {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using State = SchedulerFsm::State;

// Two workers and a server, with tasks known by host, during training.
FsmScript training(FsmOptions options = {}) {
  FsmScript job(2, 1, std::move(options));
  job.event(Expect{.task = worker(0), .role = Role::worker, .host = "w0"});
  job.event(Expect{.task = worker(1), .role = Role::worker, .host = "w1"});
  job.event(Expect{.task = server(0), .role = Role::server, .host = "s0"});
  job.start();
  job.all_enter(kWorkerGroup);
  return job;
}

TEST(SchedulerRecovery, a_restarted_worker_takes_the_id_of_the_dead_one) {
  FsmScript job = training();
  const LinkId old = job.as(kWorker1);
  job.event(NodeExited{.task = worker(1), .outlook = Outlook::restarts, .how = "was ended by signal 9 (SIGKILL)"});
  EXPECT_EQ(job.told<NodeDead>().at(0).why, "was ended by signal 9 (SIGKILL)");
  EXPECT_EQ(job.told<NodeDead>().at(0).member.rank, 1);
  EXPECT_EQ(job.wanted<DropLink>().back().link, old);
  EXPECT_EQ(job.wanted<HangUp>().at(0).node, kWorker1);

  job.event(Expect{.task = worker(1), .role = Role::worker, .host = "w9"});
  job.join(Role::worker, "w9", 5);
  const Node recovered{.role = Role::worker, .id = kWorker1, .host = "w9", .port = 5, .is_recovery = true};
  // The replacement gets the whole list, and the living nodes only its entry.
  ASSERT_EQ(job.sent(kWorker1).size(), 1U);
  EXPECT_EQ(job.sent(kWorker1)[0].control->nodes.size(), 4U);
  EXPECT_EQ(job.sent(kWorker1)[0].control->nodes[2], recovered);
  EXPECT_FALSE(job.sent(kWorker1)[0].control->nodes[1].is_recovery);
  for (const NodeId id : {kServer0, kWorker0}) EXPECT_THAT(job.sent(id).at(0).control->nodes, ElementsAre(recovered));
  EXPECT_EQ(job.wanted<Dial>().at(0).host, "w9");
  EXPECT_EQ(job.told<Recovered>().at(0).member.task, worker(1));

  job.forget(kWorker1);
  job.all_enter(kWorkerGroup);
  EXPECT_EQ(job.released().size(), 2U);
}

TEST(SchedulerRecovery, a_restarted_server_takes_the_id_of_the_dead_one) {
  FsmScript job = training();
  job.event(NodeExited{.task = server(0), .outlook = Outlook::restarts});
  job.join(Role::server, "elsewhere", 7);
  EXPECT_EQ(job.told<Recovered>().at(0).member.role, Role::server);
  EXPECT_EQ(job.sent(kServer0).at(0).control->nodes.at(0).host, "elsewhere");
}

TEST(SchedulerRecovery, nothing_is_sent_to_other_dead_nodes) {
  FsmScript job = training();
  job.event(NodeExited{.task = worker(0), .outlook = Outlook::restarts});
  job.event(NodeExited{.task = worker(1), .outlook = Outlook::restarts});
  job.join(Role::worker, "w0", 9);
  EXPECT_EQ(job.told<Recovered>().at(0).member.task, worker(0));
  EXPECT_THAT(job.sent(kWorker1), IsEmpty());
  job.join(Role::worker, "w1", 9);
  EXPECT_EQ(job.told<Recovered>().at(1).member.task, worker(1));
}

TEST(SchedulerRecovery, a_dead_node_does_not_count_at_a_barrier) {
  FsmScript job = training();
  job.barrier(kWorker1, kWorkerGroup);
  job.event(NodeExited{.task = worker(1), .outlook = Outlook::restarts});
  job.barrier(kWorker0, kWorkerGroup);
  EXPECT_THAT(job.released(), IsEmpty());
  job.join(Role::worker, "w1", 9);
  EXPECT_THAT(job.released(), IsEmpty());
  job.forget(kWorker1);
  job.barrier(kWorker1, kWorkerGroup);
  EXPECT_THAT(job.released(), ElementsAre(kWorker0, kWorker1));
}

TEST(SchedulerRecovery, timestamps_of_the_old_process_do_not_affect_the_new_one) {
  FsmScript job = training();
  job.barrier(kWorker1, kWorkerGroup, 0, 1000);
  job.event(NodeExited{.task = worker(1), .outlook = Outlook::restarts});
  job.join(Role::worker, "w1", 9);
  job.forget(kWorker1);
  job.barrier(kWorker1, kWorkerGroup, 0, 1);
  job.barrier(kWorker0, kWorkerGroup);
  EXPECT_EQ(job.released().size(), 2U);
}

TEST(SchedulerRecovery, a_dead_process_cannot_return_on_an_old_connection) {
  FsmScript job = training();
  job.event(NodeExited{.task = worker(1), .outlook = Outlook::restarts});
  const LinkId link = job.connect(identity_of(kWorker1));
  EXPECT_EQ(job.wanted<DropLink>().at(0).link, link);
}

TEST(SchedulerRecovery, before_training_a_replacement_starts_like_a_normal_node) {
  FsmScript job;
  job.join(Role::server, "s0", 1);
  job.join(Role::worker, "w0", 1);
  job.event(Expect{.task = worker(1), .role = Role::worker, .host = "w1"});
  job.join(Role::worker, "w1", 1);
  job.barrier(kWorker0, kAllGroups);
  job.event(NodeExited{.task = worker(1), .outlook = Outlook::restarts});
  job.join(Role::worker, "w1", 9);
  EXPECT_FALSE(job.sent(kWorker1).at(0).control->nodes.at(2).is_recovery);
  EXPECT_TRUE(job.sent(kWorker0).at(0).control->nodes.at(0).is_recovery);
  job.barrier(kServer0, kAllGroups);
  EXPECT_THAT(job.released(), IsEmpty());
  job.barrier(kWorker1, kAllGroups);
  EXPECT_EQ(job.released().size(), 3U);
}

TEST(SchedulerRecovery, a_replacement_after_the_start_barrier_passes_it_alone) {
  FsmScript job;
  job.event(Expect{.task = worker(1), .role = Role::worker, .host = "w1"});
  job.start();
  job.barrier(kWorker0, kWorkerGroup);
  job.event(NodeExited{.task = worker(1), .outlook = Outlook::restarts});
  job.join(Role::worker, "w1", 9);
  EXPECT_FALSE(job.sent(kWorker1).at(0).control->nodes.at(2).is_recovery);
  job.forget(kWorker1);
  job.barrier(kWorker1, kAllGroups);
  EXPECT_THAT(job.released(), ElementsAre(kWorker1));
  job.barrier(kWorker1, kWorkerGroup);
  EXPECT_THAT(job.released(), ElementsAre(kWorker0, kWorker1));
  // The next barrier of all nodes is the last one, also for the replacement.
  job.barrier(kWorker1, kAllGroups);
  EXPECT_THAT(job.released(), IsEmpty());
  job.barrier(kWorker0, kAllGroups);
  job.barrier(kServer0, kAllGroups);
  EXPECT_EQ(job.told<Finished>().size(), 1U);
}

TEST(SchedulerRecovery, a_node_that_ends_during_registration_can_be_replaced) {
  FsmScript job;
  job.event(Expect{.task = worker(0), .role = Role::worker, .host = "w0"});
  job.join(Role::worker, "w0", 1);
  job.event(NodeExited{.task = worker(0), .outlook = Outlook::restarts});
  EXPECT_EQ(job.fsm().roster().count(Role::worker), 0);
  job.event(Expect{.task = worker(0), .role = Role::worker, .host = "w5"});
  job.join(Role::worker, "w5", 2);
  job.join(Role::worker, "w1", 1);
  job.join(Role::server, "s", 1);
  const auto members = job.told<AllRegistered>().at(0).members;
  EXPECT_EQ(members.at(1).host, "w5");
}

// ---- permanent ends -------------------------------------------------------------------------------------------------

TEST(SchedulerRecovery, a_barrier_that_needs_a_permanently_failed_node_fails_the_job) {
  FsmScript job = training();
  job.barrier(kWorker0, kWorkerGroup);
  job.event(NodeExited{.task = worker(1), .outlook = Outlook::unknown});
  EXPECT_THAT(job.told<Failed>(), IsEmpty());
  job.event(NodeExited{.task = worker(1), .outlook = Outlook::gone});
  ASSERT_EQ(job.told<Failed>().size(), 1U);
  EXPECT_EQ(job.told<Failed>()[0].failure, Failure::barrier_broken);
  EXPECT_EQ(job.told<Failed>()[0].sentence,
            "worker:0 would wait forever at a barrier of the workers: worker:1 failed and will not be restarted");
  EXPECT_EQ(job.told<NodeDead>().size(), 1U);
  EXPECT_EQ(job.fsm().state(), State::failed);
}

TEST(SchedulerRecovery, a_later_barrier_that_needs_a_permanently_failed_node_fails_the_job) {
  FsmScript job = training();
  job.event(NodeExited{.task = worker(1), .outlook = Outlook::left});
  EXPECT_THAT(job.told<Failed>(), IsEmpty());
  EXPECT_THAT(job.told<NodeDead>(), IsEmpty());
  job.barrier(kWorker0, kWorkerGroup);
  EXPECT_THAT(job.told<Failed>().at(0).sentence, HasSubstr("worker:1 ended before reaching it"));
}

TEST(SchedulerRecovery, the_last_barrier_does_not_need_nodes_that_have_left) {
  FsmScript job = training();
  job.barrier(kServer0, kAllGroups);
  job.event(NodeExited{.task = worker(1), .outlook = Outlook::left});
  job.barrier(kWorker0, kAllGroups);
  EXPECT_EQ(job.told<Finished>().size(), 1U);
  EXPECT_THAT(job.released(), ElementsAre(kServer0, kWorker0));
}

TEST(SchedulerRecovery, the_last_barrier_opens_when_the_missing_node_leaves) {
  FsmScript job = training();
  job.barrier(kServer0, kAllGroups);
  job.barrier(kWorker0, kAllGroups);
  job.event(NodeExited{.task = worker(1), .outlook = Outlook::left});
  EXPECT_EQ(job.told<Finished>().size(), 1U);
}

TEST(SchedulerRecovery, a_worker_restarted_at_the_very_end_does_not_wait_for_nodes_that_have_finished) {
  FsmScript job = training();
  job.all_enter(kWorkerGroup);
  job.event(NodeExited{.task = worker(1), .outlook = Outlook::restarts});
  job.join(Role::worker, "w1", 9);
  job.forget(kWorker1);
  job.barrier(kWorker1, kWorkerGroup);
  EXPECT_THAT(job.released(), IsEmpty());
  job.barrier(kServer0, kAllGroups);
  EXPECT_THAT(job.released(), IsEmpty());
  job.barrier(kWorker0, kAllGroups);
  EXPECT_THAT(job.released(), ElementsAre(kWorker1));
  job.barrier(kWorker1, kAllGroups);
  EXPECT_EQ(job.told<Finished>().size(), 1U);
}

// ---- surplus nodes --------------------------------------------------------------------------------------------------

TEST(SchedulerRecovery, a_new_node_waits_until_another_one_is_reported_as_ended) {
  FsmScript job = training();
  job.join(Role::worker, "new", 1);
  EXPECT_THAT(job.told<Recovered>(), IsEmpty());
  job.wait(core::Seconds(29));
  job.event(NodeExited{.task = worker(0), .outlook = Outlook::restarts});
  EXPECT_EQ(job.told<Recovered>().at(0).member.host, "new");
  EXPECT_THAT(job.told<Refused>(), IsEmpty());
}

TEST(SchedulerRecovery, a_new_node_is_refused_with_a_reason_if_no_other_ended) {
  FsmScript job = training();
  const LinkId link = job.join(Role::worker, "new", 1);
  EXPECT_EQ(job.fsm().next_deadline(), job.now + core::Seconds(30));
  job.wait(core::Seconds(30));
  ASSERT_EQ(job.told<Refused>().size(), 1U);
  EXPECT_EQ(job.told<Refused>()[0].sentence,
            "a worker at new:1 tried to register and was refused: all 2 workers of the job are already registered, and "
            "none of them ended within 30 s");
  EXPECT_EQ(job.wanted<DropLink>().at(0).link, link);
  EXPECT_EQ(job.fsm().state(), State::running);
}

TEST(SchedulerRecovery, a_new_node_that_disconnects_is_forgotten) {
  FsmScript job = training();
  const LinkId link = job.join(Role::worker, "new", 1);
  job.event(LinkClosed{link});
  job.event(NodeExited{.task = worker(0), .outlook = Outlook::restarts});
  EXPECT_THAT(job.told<Recovered>(), IsEmpty());
  job.wait(core::Seconds(31));
  EXPECT_THAT(job.told<Refused>(), IsEmpty());
}

TEST(SchedulerRecovery, a_new_attempt_known_by_its_port_replaces_the_old_one_at_once) {
  FsmScript job(1, 1);
  job.event(Expect{.task = worker(0), .role = Role::worker, .host = "w0", .port = 1});
  job.start();
  job.event(Expect{.task = worker(0), .role = Role::worker, .host = "w0", .port = 2});
  job.join(Role::worker, "w0", 2);
  EXPECT_EQ(job.told<NodeDead>().at(0).why, "a new attempt of it registered");
  EXPECT_EQ(job.told<Recovered>().at(0).member.port, 2);
}

TEST(SchedulerRecovery, a_node_does_not_replace_one_of_another_role) {
  FsmScript job = training();
  job.event(NodeExited{.task = worker(0), .outlook = Outlook::restarts});
  job.join(Role::server, "new", 1);
  EXPECT_THAT(job.told<Recovered>(), IsEmpty());
  job.wait(core::Seconds(31));
  EXPECT_EQ(job.told<Refused>().size(), 1U);
}

TEST(SchedulerRecovery, the_number_of_waiting_nodes_is_limited) {
  FsmScript job = training();
  for (int i = 1; i <= 65; ++i) job.join(Role::worker, "new", i);
  EXPECT_EQ(job.told<Refused>().size(), 1U);
}

TEST(SchedulerRecovery, a_node_that_is_silent_for_too_long_can_be_replaced) {
  FsmScript job = training({.heartbeat_timeout = core::Seconds(10)});
  job.message(job.as(kWorker0), Command::heartbeat);
  job.join(Role::worker, "new", 1);
  job.wait(core::Seconds(10));
  EXPECT_EQ(job.told<NodeDead>().at(0).member.task, worker(0));
  EXPECT_EQ(job.told<Recovered>().at(0).member.host, "new");
}

// ---- tasks with the same address ------------------------------------------------------------------------------------

TEST(SchedulerRecovery, the_closed_connection_tells_which_of_two_equal_workers_ended) {
  FsmScript job;
  for (int i = 0; i < 2; ++i) job.event(Expect{.task = worker(i), .role = Role::worker, .host = "h"});
  const LinkId first0 = job.join(Role::worker, "h", 10);
  const LinkId first1 = job.join(Role::worker, "h", 20);
  job.join(Role::server, "h", 30);
  job.event(LinkClosed{first0});
  job.event(LinkClosed{first1});
  job.all_enter(kAllGroups);
  job.all_enter(kWorkerGroup);
  // The end is reported first, and the connection is closed later.
  job.event(NodeExited{.task = worker(0), .outlook = Outlook::restarts});
  EXPECT_THAT(job.told<NodeDead>(), IsEmpty());
  job.event(LinkClosed{job.as(kWorker1)});
  ASSERT_EQ(job.told<NodeDead>().size(), 1U);
  EXPECT_EQ(job.told<NodeDead>()[0].member.port, 20);
  job.join(Role::worker, "h", 40);
  EXPECT_EQ(job.told<Recovered>().at(0).member.rank, 1);
}

TEST(SchedulerRecovery, the_connection_may_be_closed_before_the_end_is_reported) {
  FsmScript job;
  const LinkId first0 = job.join(Role::worker, "h", 10);
  const LinkId first1 = job.join(Role::worker, "h", 20);
  job.join(Role::server, "h", 30);
  job.event(LinkClosed{first0});
  job.event(LinkClosed{first1});
  job.all_enter(kAllGroups);
  job.event(LinkClosed{job.as(kWorker0)});
  EXPECT_THAT(job.told<NodeDead>(), IsEmpty());
  job.event(NodeExited{.task = worker(1), .outlook = Outlook::gone, .how = "ended with code 1"});
  EXPECT_EQ(job.told<NodeDead>().at(0).member.port, 10);
}

// ---- an end at every step -------------------------------------------------------------------------------------------

// Runs a job with one server and two workers, and lets worker 1 end and restart after each event in turn: the job must
// always finish.
TEST(SchedulerRecovery, a_worker_may_end_and_restart_at_any_step) {
  constexpr int kSteps = 13;
  for (int death = 0; death < kSteps; ++death) {
    SCOPED_TRACE(death);
    FsmScript job;
    std::string host = "w1";
    int step = 0;
    bool recovering = false;
    std::set<int> passed;
    job.event(Expect{.task = worker(1), .role = Role::worker, .host = host});
    const auto die_now = [&] {
      if (step++ != death) return;
      job.event(NodeExited{.task = worker(1), .outlook = Outlook::restarts, .how = "killed"});
      job.forget(kWorker1);
      host = "again";
      job.event(Expect{.task = worker(1), .role = Role::worker, .host = host});
      if (passed.empty()) return;
      const std::size_t before = job.told<Registered>().size();
      job.join(Role::worker, host, 2);
      if (job.told<Registered>().size() != before) return;
      const auto list = job.sent(kWorker1);
      ASSERT_FALSE(list.empty());
      recovering = list[0].control->nodes.at(2).is_recovery;
      // It runs its script from the start up to the point where the others are.
      if (!recovering) {
        if (passed.contains(2)) job.barrier(kWorker1, kAllGroups);
        if (passed.contains(4)) job.barrier(kWorker1, kWorkerGroup);
      }
      if (passed.contains(6)) job.barrier(kWorker1, kWorkerGroup);
      if (passed.contains(8)) job.barrier(kWorker1, kAllGroups);
    };
    die_now();
    job.join(Role::server, "s", 1);
    die_now();
    job.join(Role::worker, "w0", 1);
    die_now();
    job.join(Role::worker, host, 1);
    passed.insert(1);
    die_now();
    for (const NodeId id : {kServer0, kWorker0, kWorker1}) {
      if (id == kWorker1) passed.insert(2);
      job.barrier(id, kAllGroups);
      die_now();
    }
    // The barrier after creating the model, which a recovering worker skips.
    job.barrier(kWorker0, kWorkerGroup);
    die_now();
    passed.insert(4);
    if (!recovering) job.barrier(kWorker1, kWorkerGroup);
    die_now();
    // Before they exit.
    job.barrier(kWorker0, kWorkerGroup);
    die_now();
    passed.insert(6);
    job.barrier(kWorker1, kWorkerGroup);
    die_now();
    job.barrier(kServer0, kAllGroups);
    die_now();
    job.barrier(kWorker0, kAllGroups);
    die_now();
    passed.insert(8);
    job.barrier(kWorker1, kAllGroups);
    EXPECT_EQ(step, kSteps);
    EXPECT_EQ(job.fsm().state(), SchedulerFsm::State::finished);
    EXPECT_THAT(job.told<Failed>(), IsEmpty());
    EXPECT_THAT(job.told<Refused>(), IsEmpty());
  }
}

}  // namespace
}  // namespace ydl::pslite
