#include "pslite/scheduler_fsm.hpp"

#include "unit/pslite/fsm_script.hpp"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::pslite {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using State = SchedulerFsm::State;

// ---- registration ---------------------------------------------------------------------------------------------------

TEST(SchedulerFsm, every_node_gets_the_list_with_the_scheduler_when_all_have_registered) {
  FsmScript job;
  job.join(Role::worker, "w1", 20);
  job.join(Role::server, "s", 30);
  EXPECT_THAT(job.wanted<Send>(), IsEmpty());
  job.join(Role::worker, "w0", 10);
  EXPECT_EQ(job.fsm().state(), State::running);
  EXPECT_EQ(job.wanted<Dial>().size(), 3U);
  const std::vector<Node> expected{{.role = Role::server, .id = kServer0, .host = "s", .port = 30},
                                   {.role = Role::worker, .id = kWorker0, .host = "w0", .port = 10},
                                   {.role = Role::worker, .id = kWorker1, .host = "w1", .port = 20},
                                   {.role = Role::scheduler, .id = kSchedulerId, .host = "sched", .port = 9000}};
  std::vector<std::int32_t> timestamps;
  for (const NodeId id : {kServer0, kWorker0, kWorker1}) {
    const auto sent = job.sent(id);
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].control->command, Command::add_node);
    EXPECT_EQ(sent[0].control->nodes, expected);
    timestamps.push_back(*sent[0].timestamp);
  }
  EXPECT_THAT(timestamps, ElementsAre(0, 1, 2));
  EXPECT_EQ(job.told<Registered>().size(), 3U);
  EXPECT_EQ(job.told<AllRegistered>().at(0).members.size(), 3U);
}

TEST(SchedulerFsm, a_dial_action_precedes_the_messages_for_its_connection) {
  FsmScript job(1, 1);
  job.join(Role::worker, "w", 1);
  job.join(Role::server, "s", 1);
  ASSERT_GE(job.actions.size(), 4U);
  EXPECT_TRUE(std::holds_alternative<Dial>(job.actions[1]));
  EXPECT_TRUE(std::holds_alternative<Send>(job.actions[2]));
}

// ---- unknown peers --------------------------------------------------------------------------------------------------

TEST(SchedulerFsm, a_registration_from_an_address_without_a_task_of_this_role_is_refused) {
  FsmScript job(1, 1);
  job.event(Expect{.task = worker(0), .role = Role::worker, .host = "10.0.0.1", .port = 11});
  job.event(Expect{.task = {"server", 0}, .role = Role::server, .host = "10.0.0.2", .port = 12});
  for (const auto* unknown : {"10.0.0.9", "10.0.0.2", "10.0.0.9"}) {
    job.register_on(job.connect_from(unknown), Role::worker, "10.0.0.1", 11);
    EXPECT_EQ(job.wanted<DropLink>().size(), 1U) << unknown;
  }
  EXPECT_TRUE(job.told<Registered>().empty());
  const auto refused = job.told<UnknownPeerRefused>();
  ASSERT_EQ(refused.size(), 2U) << "once for each address";
  EXPECT_EQ(refused[0].sentence, "a peer that tried to register as worker from 10.0.0.9, where this job has no worker");
  job.register_on(job.connect_from("10.0.0.1"), Role::worker, "10.0.0.1", 11);
  EXPECT_EQ(job.told<Registered>().size(), 1U);
}

TEST(SchedulerFsm, an_address_from_which_an_agent_called_is_accepted) {
  FsmScript job(1, 1);
  job.event(Expect{.task = worker(0), .role = Role::worker, .host = "10.0.0.1", .port = 11});
  job.register_on(job.connect_from("192.168.0.1", "", true), Role::worker, "10.0.0.1", 11);
  EXPECT_EQ(job.told<Registered>().size(), 1U);
}

TEST(SchedulerFsm, an_unknown_peer_cannot_become_a_node_by_its_identity) {
  FsmScript job(1, 1);
  job.event(Expect{.task = worker(0), .role = Role::worker, .host = "10.0.0.1", .port = 11});
  job.event(Expect{.task = {"server", 0}, .role = Role::server, .host = "10.0.0.1", .port = 12});
  job.join(Role::worker, "10.0.0.1", 11);
  job.join(Role::server, "10.0.0.1", 12);
  ASSERT_EQ(job.fsm().state(), State::running);
  (void)job.connect_from("10.0.0.9", "ps9");
  EXPECT_EQ(job.wanted<DropLink>().size(), 1U);
  EXPECT_EQ(job.told<UnknownPeerRefused>().size(), 1U);
}

// ---- ranks ----------------------------------------------------------------------------------------------------------

TEST(SchedulerFsm, ranks_follow_the_expected_tasks) {
  FsmScript job;
  job.event(Expect{.task = worker(0), .role = Role::worker, .host = "h", .port = 99});
  job.event(Expect{.task = worker(1), .role = Role::worker, .host = "h", .port = 11});
  job.join(Role::worker, "h", 11);
  EXPECT_EQ(job.told<Registered>().at(0).member.rank, 1);
  job.join(Role::worker, "h", 99);
  job.join(Role::server, "h", 5);
  const auto members = job.told<AllRegistered>().at(0).members;
  EXPECT_EQ(members[1], (Member{.role = Role::worker, .task = worker(0), .rank = 0, .host = "h", .port = 99}));
  EXPECT_EQ(members[2].task, worker(1));
}

TEST(SchedulerFsm, a_second_kvstore_of_a_process_shares_its_record) {
  FsmScript job;
  const LinkId link = job.join(Role::worker, "w0", 1);
  job.register_on(link, Role::worker, "w0", 1, 1);
  EXPECT_EQ(job.told<Registered>().size(), 1U);
  job.join(Role::server, "s", 1);
  EXPECT_EQ(job.fsm().state(), State::registering);
  job.join(Role::worker, "w1", 1);
  EXPECT_EQ(job.fsm().state(), State::running);
  // A repetition after the list was sent, on a connection without an id: the answer may have been lost.
  job.join(Role::worker, "w0", 1, 2);
  EXPECT_EQ(job.sent(kWorker0).at(0).control->nodes.size(), 4U);
  EXPECT_THAT(job.told<Refused>(), IsEmpty());
}

TEST(SchedulerFsm, a_surplus_node_of_one_role_does_not_count_for_the_other) {
  FsmScript job(1, 1);
  job.join(Role::worker, "w0", 1);
  job.join(Role::worker, "w1", 1);
  EXPECT_EQ(job.fsm().state(), State::registering);
  job.join(Role::server, "s", 1);
  EXPECT_EQ(job.fsm().state(), State::running);
  EXPECT_EQ(job.told<AllRegistered>().at(0).members.at(1).host, "w0");
}

TEST(SchedulerFsm, an_invalid_registration_only_closes_its_connection) {
  using Change = std::function<void(Meta&)>;
  const Node good{.role = Role::worker, .host = "w", .port = 1};
  const std::vector<Change> changes{
      [](Meta& meta) { meta.control->nodes.clear(); },
      [&](Meta& meta) { meta.control->nodes = {good, good}; },
      [&](Meta& meta) { (meta.control->nodes = {good})[0].role = Role::scheduler; },
      [&](Meta& meta) { (meta.control->nodes = {good})[0].host = ""; },
      [&](Meta& meta) { (meta.control->nodes = {good})[0].port = 0; },
      [&](Meta& meta) { (meta.control->nodes = {good})[0].port = 65'536; },
      [&](Meta& meta) { (meta.control->nodes = {good})[0].customer_id = -1; },
  };
  FsmScript job(1, 1);
  for (const Change& change : changes) {
    const LinkId link = job.connect();
    job.message(link, Command::add_node, change);
    ASSERT_EQ(job.wanted<DropLink>().size(), 1U);
    EXPECT_EQ(job.wanted<DropLink>()[0].link, link);
  }
  EXPECT_EQ(job.told<Note>().size(), changes.size());
  job.start();
  EXPECT_EQ(job.fsm().state(), State::running);
}

TEST(SchedulerFsm, connections_of_unknown_peers_are_closed) {
  FsmScript job;
  job.start();
  const auto dropped = [&](LinkId link) {
    return job.wanted<DropLink>().size() == 1 && job.wanted<DropLink>()[0].link == link;
  };
  EXPECT_TRUE(dropped(job.connect("ps13")));
  EXPECT_TRUE(dropped(job.connect("ps1")));
  EXPECT_FALSE(dropped(job.connect("psx")));
  LinkId link = job.connect();
  job.message(link, Command::barrier, [](Meta& meta) { meta.control->barrier_group = kWorkerGroup; });
  EXPECT_TRUE(dropped(link));
  link = job.connect();
  job.event(Received{.link = link, .meta = Meta{}});
  EXPECT_TRUE(dropped(link));
  // Bytes of a closed connection that were still in transit are ignored.
  job.event(Received{.link = link, .meta = Meta{}});
  EXPECT_THAT(job.actions, IsEmpty());
}

TEST(SchedulerFsm, a_registration_timeout_names_the_missing_nodes) {
  FsmScript job(2, 1, {.registration_timeout = core::Seconds(30)});
  job.event(Expect{.task = worker(0), .role = Role::worker, .host = "w0"});
  job.event(Expect{.task = worker(1), .role = Role::worker, .host = "w1"});
  EXPECT_FALSE(job.fsm().next_deadline());
  job.event(Begin{});
  EXPECT_EQ(job.fsm().next_deadline(), job.now + core::Seconds(30));
  job.join(Role::worker, "w0", 1);
  job.wait(core::Seconds(29));
  EXPECT_THAT(job.told<Failed>(), IsEmpty());
  job.wait(core::Seconds(1));
  ASSERT_EQ(job.told<Failed>().size(), 1U);
  EXPECT_EQ(job.told<Failed>()[0].failure, Failure::registration_timeout);
  EXPECT_EQ(job.told<Failed>()[0].sentence,
            "not every node registered with the scheduler within 30 s: 0 of 1 server and 1 of 2 workers have "
            "registered; missing: "
            "1 server, worker:1");
  EXPECT_FALSE(job.fsm().next_deadline());
}

TEST(SchedulerFsm, the_timeout_suggests_a_dist_kvstore_if_no_worker_has_registered) {
  FsmScript job(1, 1, {.registration_timeout = core::Seconds(30)});
  job.event(Begin{});
  job.join(Role::server, "s", 1);
  job.wait(core::Seconds(31));
  EXPECT_THAT(job.told<Failed>().at(0).sentence, HasSubstr("does the script create a distributed kvstore"));
}

TEST(SchedulerFsm, a_task_that_ends_without_registering_is_reported_and_fails_the_waiting_nodes) {
  FsmScript job;
  job.event(NodeExited{.task = worker(1), .outlook = Outlook::left, .how = "ended with code 0"});
  EXPECT_THAT(job.told<NeverRegistered>().at(0).sentence, HasSubstr("worker:1 ended without registering"));
  // No worker is waiting: the script may use only a local kvstore.
  EXPECT_THAT(job.told<Failed>(), IsEmpty());
  job.join(Role::server, "s", 1);
  EXPECT_THAT(job.told<Failed>(), IsEmpty());
  job.join(Role::worker, "w0", 1);
  ASSERT_EQ(job.told<Failed>().size(), 1U);
  EXPECT_EQ(job.told<Failed>()[0].failure, Failure::registration_hopeless);
  EXPECT_THAT(job.told<Failed>()[0].sentence,
              HasSubstr("worker:1 ended before all nodes had registered (ended with code 0)"));
}

TEST(SchedulerFsm, a_task_that_restarts_before_registering_does_not_fail_the_job) {
  FsmScript job;
  job.event(NodeExited{.task = worker(1), .outlook = Outlook::restarts, .how = "ended with code 1"});
  job.start();
  EXPECT_EQ(job.fsm().state(), State::running);
  EXPECT_THAT(job.told<NeverRegistered>(), IsEmpty());
}

// ---- barriers -------------------------------------------------------------------------------------------------------

TEST(SchedulerFsm, the_scheduler_takes_part_in_barriers_of_all) {
  FsmScript job;
  job.join(Role::server, "s", 1);
  job.join(Role::worker, "w0", 1);
  job.join(Role::worker, "w1", 1);
  job.barrier(kWorker1, kAllGroups);
  job.barrier(kServer0, kAllGroups);
  EXPECT_THAT(job.released(), IsEmpty());
  job.barrier(kWorker0, kAllGroups);
  EXPECT_THAT(job.released(), ElementsAre(kServer0, kWorker0, kWorker1));
  const Meta release = job.sent(kWorker0).at(0);
  EXPECT_FALSE(release.request);
  EXPECT_EQ(release.app_id, 0);
  EXPECT_EQ(release.customer_id, 0);
}

TEST(SchedulerFsm, every_group_waits_for_its_own_members_only) {
  for (int group = 1; group <= kAllGroups; ++group) {
    FsmScript job(2, 2);
    job.start();
    std::vector<NodeId> members;
    for (const NodeRecord& node : job.fsm().roster().nodes()) {
      if ((group_of(node.role) & group) != 0) members.push_back(*node.id);
    }
    std::ranges::sort(members);
    for (std::size_t i = 0; i < members.size(); ++i) {
      EXPECT_THAT(i == 0 ? std::vector<NodeId>{} : job.released(), IsEmpty());
      job.barrier(members[i], group);
    }
    if (!members.empty()) EXPECT_EQ(job.released(), members) << group;
  }
}

TEST(SchedulerFsm, a_barrier_can_be_passed_again_and_again) {
  FsmScript job;
  job.start();
  for (int round = 0; round < 100; ++round) {
    job.barrier(kWorker0, kWorkerGroup);
    EXPECT_THAT(job.released(), IsEmpty());
    job.barrier(kWorker1, kWorkerGroup);
    EXPECT_THAT(job.released(), ElementsAre(kWorker0, kWorker1));
  }
  EXPECT_EQ(job.told<BarrierPassed>().size(), 101U);
}

TEST(SchedulerFsm, a_node_counts_once_even_if_it_repeats_its_request) {
  FsmScript job;
  job.start();
  job.barrier(kWorker0, kWorkerGroup);
  job.barrier(kWorker0, kWorkerGroup);
  job.barrier(kWorker0, kWorkerGroup);
  EXPECT_THAT(job.released(), IsEmpty());
  job.barrier(kWorker1, kWorkerGroup);
  EXPECT_THAT(job.released(), ElementsAre(kWorker0, kWorker1));
}

TEST(SchedulerFsm, barriers_of_different_groups_are_independent) {
  FsmScript job;
  job.start();
  job.barrier(kWorker0, kWorkerGroup);
  job.barrier(kWorker1, kWorkerGroup + kServerGroup);
  EXPECT_THAT(job.released(), IsEmpty());
  job.barrier(kServer0, kWorkerGroup + kServerGroup);
  EXPECT_THAT(job.released(), IsEmpty());
}

TEST(SchedulerFsm, a_second_kvstore_of_the_workers_does_not_wait_for_servers) {
  FsmScript job;
  job.start();
  for (const NodeId id : {kWorker0, kWorker1}) job.register_on(job.as(id), Role::worker, "any", 1, 1);
  job.barrier(kWorker0, kAllGroups, 1);
  EXPECT_THAT(job.released(), IsEmpty());
  job.barrier(kWorker1, kAllGroups, 1);
  EXPECT_THAT(job.released(), ElementsAre(kWorker0, kWorker1));
  EXPECT_EQ(job.sent(kWorker1).at(0).customer_id, 1);
  EXPECT_THAT(job.told<Finished>(), IsEmpty());
}

TEST(SchedulerFsm, an_invalid_barrier_closes_the_connection) {
  FsmScript job;
  job.start();
  for (const auto& [group, customer] :
       std::vector<std::pair<int, int>>{{0, 0}, {8, 0}, {kServerGroup, 0}, {-1, 0}, {kWorkerGroup, 64}}) {
    job.forget(kWorker0);
    job.barrier(kWorker0, group, customer);
    EXPECT_EQ(job.wanted<DropLink>().size(), 1U) << group;
  }
  EXPECT_EQ(job.fsm().state(), State::running);
}

TEST(SchedulerFsm, the_second_barrier_of_all_nodes_ends_the_job) {
  FsmScript job;
  job.start();
  EXPECT_THAT(job.told<Finished>(), IsEmpty());
  job.all_enter(kWorkerGroup);
  job.all_enter(kAllGroups);
  EXPECT_EQ(job.released().size(), 3U);
  EXPECT_EQ(job.told<Finished>().size(), 1U);
  EXPECT_EQ(job.fsm().state(), State::finished);
  // The answers precede the notice, because the master may close the connections when it gets the notice.
  EXPECT_TRUE(std::holds_alternative<Tell>(job.actions.back()));
  job.event(NodeExited{.task = worker(0), .outlook = Outlook::left});
  EXPECT_THAT(job.actions, IsEmpty());
  job.join(Role::worker, "late", 1);
  EXPECT_THAT(job.told<Refused>().at(0).sentence, HasSubstr("the job has finished"));
}

TEST(SchedulerFsm, a_stalled_barrier_is_reported_once_with_the_missing_nodes) {
  FsmScript job;
  job.start();
  job.barrier(kWorker0, kWorkerGroup);
  EXPECT_EQ(job.fsm().next_deadline(), job.now + core::Seconds(60));
  job.wait(core::Seconds(60));
  EXPECT_EQ(job.told<Note>().at(0).sentence, "a barrier of the workers has been waiting 1 min for worker 1 (w1:1)");
  job.wait(core::Seconds(600));
  EXPECT_EQ(job.told<Note>().size(), 1U);
  job.barrier(kWorker1, kWorkerGroup);
  EXPECT_EQ(job.released().size(), 2U);
}

// ---- heartbeats, acknowledgements, announced ends -------------------------------------------------------------------

TEST(SchedulerFsm, heartbeats_are_answered_with_its_own_node) {
  FsmScript job;
  job.start();
  job.message(job.as(kServer0), Command::heartbeat);
  const Meta reply = job.sent(kServer0).at(0);
  EXPECT_EQ(reply.control->command, Command::heartbeat);
  EXPECT_EQ(reply.control->nodes.at(0).id, kSchedulerId);
  EXPECT_TRUE(reply.timestamp);
}

TEST(SchedulerFsm, only_nodes_that_send_heartbeats_can_miss_them) {
  FsmScript job(2, 1, {.heartbeat_timeout = core::Seconds(10)});
  job.start();
  job.message(job.as(kWorker0), Command::heartbeat);
  job.wait(core::Seconds(6));
  job.message(job.as(kWorker0), Command::heartbeat);
  job.wait(core::Seconds(9));
  EXPECT_THAT(job.told<NodeDead>(), IsEmpty());
  job.wait(core::Seconds(1));
  ASSERT_EQ(job.told<NodeDead>().size(), 1U);
  EXPECT_THAT(job.told<NodeDead>()[0].why, HasSubstr("no heartbeat for 10"));
  job.wait(core::Seconds(1000));
  EXPECT_EQ(job.told<NodeDead>().size(), 1U);
  // The node was only slow.
  job.barrier(kWorker0, kWorkerGroup);
  job.barrier(kWorker1, kWorkerGroup);
  EXPECT_EQ(job.released().size(), 2U);
}

TEST(SchedulerFsm, a_node_that_resends_is_acknowledged_and_not_counted_twice) {
  FsmScript job;
  job.start();
  job.barrier(kWorker0, kWorkerGroup, 0, 50);
  EXPECT_THAT(job.sent(kWorker0), IsEmpty());
  job.barrier(kWorker0, kWorkerGroup, 0, 50);
  ASSERT_EQ(job.sent(kWorker0).size(), 1U);
  EXPECT_EQ(job.sent(kWorker0)[0].control->command, Command::ack);
  EXPECT_EQ(job.sent(kWorker0)[0].control->message_signature, (9ULL << 40U) | (1ULL << 32U) | (50U << 1U) | 1U);
  EXPECT_FALSE(job.sent(kWorker0)[0].timestamp);
  job.barrier(kWorker1, kWorkerGroup, 0, 51);
  EXPECT_EQ(job.released().size(), 2U);
  // A repetition after the answer must not count for the next barrier.
  job.barrier(kWorker0, kWorkerGroup, 0, 50);
  job.barrier(kWorker1, kWorkerGroup, 0, 52);
  EXPECT_THAT(job.released(), IsEmpty());
}

TEST(SchedulerFsm, a_node_that_sends_acknowledgements_is_acknowledged_from_the_start) {
  FsmScript job;
  job.start();
  job.message(job.as(kWorker0), Command::ack);
  job.barrier(kWorker0, kWorkerGroup);
  EXPECT_EQ(job.sent(kWorker0).at(0).control->command, Command::ack);
  job.message(job.as(kWorker0), Command::heartbeat, [](Meta& meta) { meta.timestamp = 99; });
  // Heartbeats have no application, so its number is 0xffff in the key.
  EXPECT_EQ(job.sent(kWorker0).at(0).control->message_signature,
            (0xffffULL << 48U) | (9ULL << 40U) | (1ULL << 32U) | (99U << 1U));
}

TEST(SchedulerFsm, the_last_barrier_does_not_wait_for_a_node_that_announced_its_end) {
  FsmScript job;
  job.start();
  job.message(job.as(kWorker1), Command::terminate);
  EXPECT_THAT(job.told<NodeDead>(), IsEmpty());
  job.barrier(kWorker0, kAllGroups);
  job.barrier(kServer0, kAllGroups);
  EXPECT_EQ(job.told<Finished>().size(), 1U);
}

TEST(SchedulerFsm, a_disconnected_node_does_not_fail_the_job_before_its_end_is_reported) {
  FsmScript job;
  const LinkId link = job.join(Role::worker, "w0", 1);
  job.join(Role::worker, "w1", 2);
  job.join(Role::server, "s0", 3);
  job.event(LinkClosed{link});
  job.event(Unreachable{.node = kWorker0, .why = "Connection refused"});
  EXPECT_THAT(job.told<Failed>(), IsEmpty());
}

TEST(SchedulerFsm, the_schedulers_address_may_be_set_when_the_tasks_start) {
  FsmScript job;
  job.event(Begin{"10.0.0.5"});
  job.register_all();
  EXPECT_EQ(job.sent(kWorker0).front().control->nodes.back().host, "10.0.0.5");
}

TEST(SchedulerFsm, an_unreachable_address_fails_the_job_with_a_remedy) {
  FsmScript job;
  job.start();
  job.event(Unreachable{.node = kWorker0, .why = "Connection refused"});
  EXPECT_EQ(job.told<Failed>().at(0).failure, Failure::unreachable);
  EXPECT_THAT(job.told<Failed>().at(0).sentence, HasSubstr("at w0:1: Connection refused"));
  EXPECT_THAT(job.told<Failed>().at(0).sentence, HasSubstr("DMLC_NODE_HOST"));
}

}  // namespace
}  // namespace ydl::pslite
