// Hosts that the job avoids, and hosts that one attempt is not to get.
#include "unit/backend/yarn/yarn_script.hpp"

namespace ydl::backend::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class YarnHosts : public YarnScript {
 protected:
  Lines place_not_on(int index, const std::set<std::string>& hosts) {
    return lines(machine_.place({.attempt = worker(index), .ports = 1, .not_on = hosts}, now_));
  }
  Lines watch() {
    now_ += core::Seconds(1);
    return tick();
  }
  void avoid_all() {
    for (int i = 1; i <= 6; ++i) machine_.avoid(fmt::format("node{}", i));
  }
};

TEST_F(YarnHosts, an_avoided_host_is_told_to_the_resource_manager_until_it_is_forgiven) {
  start();
  machine_.avoid("node1");
  EXPECT_THAT(beat(), ElementsAre("allocate avoid node1"));
  machine_.avoid("node1");
  EXPECT_THAT(beat(), ElementsAre("allocate"));
  machine_.forgive("node1");
  EXPECT_THAT(beat(), ElementsAre("allocate forgive node1"));
}

TEST_F(YarnHosts, a_restarted_resource_manager_is_told_of_avoided_hosts_again) {
  start();
  machine_.avoid("node1");
  EXPECT_THAT(beat(), ElementsAre("allocate avoid node1"));
  (void)to_heartbeat();
  (void)machine_.allocate_failed(thrown("ApplicationMasterNotRegisteredException"), now_);
  (void)tick();
  (void)machine_.registered(all_tokens(), now_);
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate avoid node1"));
}

// dmlc-submit: such a container gets a task that does nothing, no other one is requested instead, and the job waits for
// ever.
TEST_F(YarnHosts, a_container_granted_on_an_avoided_host_is_released_and_asked_for_again) {
  start();
  (void)place(0);
  EXPECT_THAT(beat(), ElementsAre("allocate 1"));
  machine_.avoid("node1");
  EXPECT_THAT(answered({.granted = {container(2)}}), IsEmpty());
  EXPECT_THAT(beat(), ElementsAre("allocate 1 release 2"));
  EXPECT_THAT(answered({.granted = {container(3, "node2")}}), Contains("job: granted worker:0#1 on node2"));
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate"));
}

TEST_F(YarnHosts, what_runs_on_an_avoided_host_goes_on) {
  start();
  launch_on(0, 2);
  machine_.avoid("node1");
  EXPECT_THAT(beat(), ElementsAre("allocate avoid node1"));
  EXPECT_THAT(report(2, protocol::TaskExited{worker(0), {}, 0, ""}), ElementsAre("job: exited worker:0#1: 0"));
}

// ---- not_on ----------------------------------------------------------------------------------------------------

TEST_F(YarnHosts, a_container_where_an_attempt_is_not_to_be_goes_to_another_attempt) {
  start();
  (void)place_not_on(0, {"node1"});
  (void)place(1);
  EXPECT_THAT(answered({.granted = {container(2, "node1")}}), Contains("job: granted worker:1#1 on node1"));
  EXPECT_THAT(answered({.granted = {container(3, "node2")}}), Contains("job: granted worker:0#1 on node2"));
}

TEST_F(YarnHosts, a_container_on_a_host_for_no_attempt_is_released_and_requested_again) {
  start();
  (void)place_not_on(0, {"node1"});
  EXPECT_THAT(beat(), ElementsAre("allocate 1 avoid node1"));
  EXPECT_THAT(answered({.granted = {container(2, "node1")}}), IsEmpty());
  EXPECT_THAT(beat(), ElementsAre("allocate 1 release 2"));
  EXPECT_THAT(answered({.granted = {container(3, "node2")}}), Contains("job: granted worker:0#1 on node2"));
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate forgive node1")) << "no attempt waits for another host any more";
}

TEST_F(YarnHosts, an_attempt_that_is_released_leaves_no_host_out) {
  start();
  (void)place_not_on(0, {"node1"});
  EXPECT_THAT(beat(), ElementsAre("allocate 1 avoid node1"));
  (void)machine_.release(worker(0), now_);
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate 0 forgive node1"));
}

TEST_F(YarnHosts, the_only_host_is_taken_whatever_the_attempt_had_against_it) {
  start();
  for (int i = 2; i <= 6; ++i) machine_.avoid(fmt::format("node{}", i));
  (void)place_not_on(0, {"node1"});
  EXPECT_THAT(beat(), ElementsAre(Not(HasSubstr("avoid node1"))));
  EXPECT_THAT(answered({.granted = {container(2, "node1")}}), Contains("job: granted worker:0#1 on node1"));
}

TEST_F(YarnHosts, hosts_that_do_not_run_do_not_count_as_other_hosts) {
  start();
  std::vector<yarn::NodeReport> lost;
  for (int i = 2; i <= 6; ++i) {
    lost.push_back({.id = node(fmt::format("node{}", i)), .state = yarn::NodeState::lost});
  }
  (void)answered({.changed_nodes = lost});
  (void)place_not_on(0, {"node1"});
  EXPECT_THAT(answered({.granted = {container(2, "node1")}}), Contains("job: granted worker:0#1 on node1"));
}

TEST_F(YarnHosts, after_ten_containers_in_a_row_on_such_a_host_the_next_one_is_taken) {
  start();
  (void)place_not_on(0, {"node1"});
  for (int n = 2; n < 12; ++n) {
    now_ += core::Millis(10);
    EXPECT_THAT(answered({.granted = {container(n, "node1")}}), IsEmpty());
  }
  EXPECT_THAT(answered({.granted = {container(20, "node1")}}), Contains("job: granted worker:0#1 on node1"));
}

TEST_F(YarnHosts, an_attempt_that_has_waited_long_takes_any_host) {
  start();
  (void)place_not_on(0, {"node1"});
  EXPECT_THAT(beat(), ElementsAre("allocate 1 avoid node1"));
  now_ += core::Seconds(20);
  EXPECT_THAT(to_heartbeat(), Contains(AllOf(StartsWith("allocate"), HasSubstr("forgive node1"))));
}

TEST_F(YarnHosts, attempts_that_failed_on_different_hosts_leave_none_out_for_all) {
  start();
  (void)place_not_on(0, {"node1", "node3"});
  (void)place_not_on(1, {"node2", "node3"});
  EXPECT_THAT(beat(), ElementsAre("allocate 2 avoid node3")) << "the one that neither is to get";
  EXPECT_THAT(answered({.granted = {container(2, "node1"), container(3, "node2")}}),
              AllOf(Contains("job: granted worker:1#1 on node1"), Contains("job: granted worker:0#1 on node2")));
}

TEST_F(YarnHosts, an_attempt_that_may_be_anywhere_leaves_no_host_out_for_others) {
  start();
  (void)place_not_on(0, {"node1"});
  EXPECT_THAT(beat(), ElementsAre("allocate 1 avoid node1"));
  (void)place(1);
  EXPECT_THAT(to_heartbeat(), Contains("allocate 2 forgive node1"));
}

TEST_F(YarnHosts, of_all_hosts_of_an_attempt_one_is_not_left_out) {
  start();
  (void)place_not_on(0, {"node1", "node2", "node3", "node4", "node5", "node6"});
  EXPECT_THAT(beat(), ElementsAre("allocate 1 avoid node1 avoid node2 avoid node3 avoid node4 avoid node5"));
}

// ---- no host left ----------------------------------------------------------------------------------------------

TEST_F(YarnHosts, a_role_that_waits_with_every_host_avoided_is_told_once) {
  start();
  avoid_all();
  EXPECT_THAT(watch(), Not(Contains(HasSubstr("no host left")))) << "no attempt waits";
  (void)machine_.allocated({.response_id = ++response_id_}, now_);
  (void)place(0);
  EXPECT_THAT(watch(), Contains("job: no host left for worker"));
  EXPECT_THAT(watch(), Not(Contains(HasSubstr("no host left"))));
  machine_.forgive("node3");
  EXPECT_THAT(watch(), Not(Contains(HasSubstr("no host left"))));
  machine_.avoid("node3");
  EXPECT_THAT(watch(), Contains("job: no host left for worker")) << "the list has changed";
}

TEST_F(YarnHosts, it_is_told_again_when_the_cluster_has_changed) {
  start();
  avoid_all();
  (void)place(0);
  EXPECT_THAT(watch(), Contains("job: no host left for worker"));
  (void)machine_.allocated({.response_id = ++response_id_, .changed_nodes = {{.id = node("node1")}}}, now_);
  EXPECT_THAT(watch(), Contains("job: no host left for worker"));
}

TEST_F(YarnHosts, the_last_host_that_is_not_avoided_is_lost) {
  start();
  for (int i = 2; i <= 6; ++i) machine_.avoid(fmt::format("node{}", i));
  (void)place(0);
  EXPECT_THAT(watch(), Not(Contains(HasSubstr("no host left"))));
  (void)machine_.allocated({.response_id = ++response_id_}, now_);
  (void)answered({.changed_nodes = {{.id = node("node1"), .state = yarn::NodeState::lost}}});
  EXPECT_THAT(watch(), Contains("job: no host left for worker"));
}

TEST_F(YarnHosts, a_role_with_hosts_of_its_own_is_told_when_these_are_avoided) {
  auto constrained = options();
  constrained.roles.front().hosts = {"node2", "node3"};
  machine_ = YarnMachine(job(), constrained);
  start();
  machine_.avoid("node2");
  (void)place(0);
  EXPECT_THAT(watch(), Not(Contains(HasSubstr("no host left"))));
  machine_.avoid("node3");
  EXPECT_THAT(watch(), Contains("job: no host left for worker"));
}

TEST_F(YarnHosts, a_role_with_a_label_is_told_when_the_hosts_with_that_label_are_avoided) {
  auto labelled = job();
  labelled.nodes.at(3).label = "gpu";
  auto with_label = options();
  with_label.roles.front().label = "gpu";
  machine_ = YarnMachine(labelled, with_label);
  start();
  machine_.avoid("node1");
  (void)place(0);
  EXPECT_THAT(watch(), Not(Contains(HasSubstr("no host left"))));
  machine_.avoid("node4");
  EXPECT_THAT(watch(), Contains("job: no host left for worker"));
}

// ---- too few hosts left: each has room for four of these containers

TEST_F(YarnHosts, it_is_told_when_the_hosts_that_are_left_are_too_small_for_the_role) {
  start();
  for (int i = 2; i <= 6; ++i) machine_.avoid(fmt::format("node{}", i));
  for (int i = 0; i < 4; ++i) (void)place(i);
  EXPECT_THAT(watch(), Not(Contains(HasSubstr("no host left"))));
  (void)place(4);
  EXPECT_THAT(watch(), Contains("job: no host left for worker"));
  machine_.forgive("node2");
  EXPECT_THAT(watch(), Not(Contains(HasSubstr("no host left"))));
}

TEST_F(YarnHosts, containers_that_the_role_has_there_take_room_and_those_on_avoided_hosts_do_not) {
  start();
  launch_on(0, 2, "node1");
  launch_on(1, 3, "node2");
  for (int i = 2; i <= 6; ++i) machine_.avoid(fmt::format("node{}", i));
  for (int i = 2; i < 5; ++i) (void)place(i);
  EXPECT_THAT(watch(), Not(Contains(HasSubstr("no host left"))));
  (void)place(5);
  EXPECT_THAT(watch(), Contains("job: no host left for worker"));
}

TEST_F(YarnHosts, it_is_not_told_of_avoided_hosts_that_are_too_small_themselves) {
  auto small = job();
  for (auto& node : small.nodes) node.capability = {.memory_mib = 1024, .vcores = 8};
  small.nodes.front().capability = {.memory_mib = 2048, .vcores = 8};
  machine_ = YarnMachine(small, options());
  start();
  for (int i = 2; i <= 6; ++i) machine_.avoid(fmt::format("node{}", i));
  (void)place(0);
  (void)place(1);
  EXPECT_THAT(watch(), Not(Contains(HasSubstr("no host left"))));
}

TEST_F(YarnHosts, hosts_whose_size_is_not_known_have_room_for_all) {
  auto unknown = job();
  for (auto& node : unknown.nodes) node.capability = {};
  machine_ = YarnMachine(unknown, options());
  start();
  for (int i = 2; i <= 6; ++i) machine_.avoid(fmt::format("node{}", i));
  for (int i = 0; i < 100; ++i) (void)place(i);
  EXPECT_THAT(watch(), Not(Contains(HasSubstr("no host left"))));
}

TEST_F(YarnHosts, of_a_cluster_whose_hosts_are_not_known_it_is_never_told) {
  auto unknown = job();
  unknown.nodes.clear();
  machine_ = YarnMachine(unknown, options());
  start();
  avoid_all();
  (void)place(0);
  EXPECT_THAT(watch(), Not(Contains(HasSubstr("no host left"))));
}

}  // namespace
}  // namespace ydl::backend::test
