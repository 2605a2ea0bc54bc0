// The locations in the allocator's requests, and their frequency.
#include "hrpc/errors.hpp"
#include "unit/yarn/allocator_script.hpp"

#include <gmock/gmock.h>

namespace ydl::yarn::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class AllocatorLocationsTest : public Script {};

TEST_F(AllocatorLocationsTest, after_some_seconds_without_a_grant_no_hosts_are_named) {
  fsm_.want(kWorker, 2, now_);
  connect();
  (void)exchange();
  now_ += core::Millis(2'999);
  (void)exchange();
  now_ += core::Millis(1);
  EXPECT_THAT(beat(), ElementsAre("worker /r1 0", "worker a 0", "worker b 0"));
}

TEST_F(AllocatorLocationsTest, during_two_heartbeats_of_a_node_no_other_hosts_are_allowed) {
  const auto relaxed = [this] {
    std::vector<std::string> places;
    for (const auto& ask : sent_.asks) {
      if (ask.relax_locality) places.push_back(ask.location);
    }
    return places;
  };
  fsm_.want(kWorker, 2, now_);
  connect();
  (void)exchange();
  EXPECT_THAT(relaxed(), ElementsAre("a", "b"));
  now_ += core::Millis(2'000);
  EXPECT_THAT(beat(), ElementsAre("worker * 2", "worker /r1 2"));
  EXPECT_THAT(relaxed(), ElementsAre("*", "/r1"));
  (void)answer({.granted = {container(1, "a")}});
  EXPECT_THAT(beat(), IsEmpty()) << "a grant makes it no stricter again";
}

TEST_F(AllocatorLocationsTest, a_grant_gives_named_hosts_more_time) {
  fsm_.want(kWorker, 2, now_);
  connect();
  now_ += core::Millis(2'000);
  (void)exchange({.granted = {container(1, "a")}});
  now_ += core::Millis(2'000);
  EXPECT_THAT(beat(), Not(Contains("worker b 0")));
}

TEST_F(AllocatorLocationsTest, new_requests_name_hosts_again) {
  fsm_.want(kWorker, 1, now_);
  connect();
  (void)exchange();
  now_ += core::Millis(5'000);
  (void)exchange();
  fsm_.want(kWorker, 1, now_);
  EXPECT_THAT(beat(), Contains("worker a 1"));
}

TEST_F(AllocatorLocationsTest, roles_do_not_name_the_same_room_twice) {
  AllocatorFsm fsm({}, std::vector{node_report("a", 2), node_report("b", 1)});
  fsm.add_role({.key = kWorker, .resource = {.memory_mib = 1024}});
  fsm.add_role({.key = kServer, .resource = {.memory_mib = 1024}});
  fsm.want(kWorker, 2, now_);
  fsm.want(kServer, 2, now_);
  fsm_ = std::move(fsm);
  connect();
  EXPECT_THAT(beat(), ElementsAre("worker * 2", "worker /r1 2", "worker a 1", "worker b 1",  //
                                  "server * 2", "server /r1 1", "server a 1"));
}

TEST_F(AllocatorLocationsTest, granted_room_is_not_requested_again_until_it_is_released) {
  AllocatorFsm fsm({}, std::vector{node_report("a", 1)});
  fsm.add_role({.key = kWorker, .resource = kSize});
  fsm_ = std::move(fsm);
  fsm_.want(kWorker, 1, now_);
  connect();
  (void)exchange({.granted = {container(1, "a")}});
  fsm_.want(kWorker, 1, now_);
  EXPECT_THAT(beat(), ElementsAre("worker * 1"));
  (void)answer({.completed = {end_of(container(1, "a"))}});
  fsm_.want(kWorker, -1, now_);
  (void)exchange();
  fsm_.want(kWorker, 1, now_);
  EXPECT_THAT(beat(), Contains("worker a 1"));
}

TEST_F(AllocatorLocationsTest, plans_use_the_size_that_the_scheduler_rounded_up) {
  AllocatorFsm fsm({}, std::vector{node_report("a", 4)});
  fsm.add_role({.key = kWorker, .resource = {.memory_mib = 100}});
  fsm_ = std::move(fsm);
  fsm_.want(kWorker, 1, now_);
  connect();
  (void)exchange({.granted = {container(1, "a")}});  // 1 GiB
  fsm_.want(kWorker, 10, now_);
  EXPECT_THAT(beat(), ElementsAre("worker * 10", "worker /r1 3", "worker a 3"));
  EXPECT_EQ(sent_.asks[0].resource.memory_mib, 100);
}

TEST_F(AllocatorLocationsTest, vcores_fill_a_host_only_if_the_scheduler_considers_them) {
  auto busy = node_report("a");
  busy.used.vcores = busy.capability.vcores;
  for (const bool counts : {true, false}) {
    AllocatorFsm fsm({}, std::vector{busy});
    fsm.add_role({.key = kWorker, .resource = kSize});
    fsm.want(kWorker, 1, now_);
    (void)fsm.registered({.counts_vcores = counts}, now_);
    EXPECT_THAT(fsm.next_request(now_).asks, SizeIs(counts ? 1 : 3));
  }
}

TEST_F(AllocatorLocationsTest, a_lost_node_is_no_longer_named) {
  fsm_.want(kWorker, 2, now_);
  connect();
  auto lost = node_report("a");
  lost.state = NodeState::lost;
  EXPECT_THAT(exchange({.changed_nodes = {lost}}).changed_nodes, SizeIs(1));
  EXPECT_THAT(beat(), ElementsAre("worker b 2", "worker a 0"));
}

TEST_F(AllocatorLocationsTest, an_avoided_host_is_blacklisted_and_not_named_until_it_is_forgiven) {
  fsm_.want(kWorker, 2, now_);
  connect();
  (void)exchange();
  fsm_.avoid("a");
  EXPECT_THAT(beat(), ElementsAre("worker b 2", "worker a 0"));
  EXPECT_THAT(sent_.avoid, ElementsAre("a"));
  (void)answer();
  fsm_.forgive("a");
  (void)beat();
  EXPECT_THAT(sent_.avoid, IsEmpty());
  EXPECT_THAT(sent_.forgive, ElementsAre("a"));
  (void)answer();
  fsm_.want(kWorker, 1, now_);
  EXPECT_THAT(beat(), Contains("worker a 2"));
}

TEST_F(AllocatorLocationsTest, the_style_anywhere_names_no_hosts) {
  AllocatorFsm fsm({.style = AskStyle::anywhere}, std::vector{node_report("a")});
  fsm.add_role({.key = kWorker, .resource = kSize, .label = "gpu"});
  fsm_ = std::move(fsm);
  fsm_.want(kWorker, 2, now_);
  connect();
  EXPECT_THAT(beat(), ElementsAre("worker * 2"));
  EXPECT_EQ(sent_.asks[0].label, "gpu");
}

TEST_F(AllocatorLocationsTest, only_the_entry_for_anywhere_has_the_label) {
  auto labelled = node_report("a");
  labelled.label = "gpu";
  AllocatorFsm fsm({}, std::vector{labelled});
  fsm.add_role({.key = kWorker, .resource = kSize, .label = "gpu"});
  fsm_ = std::move(fsm);
  fsm_.want(kWorker, 1, now_);
  connect();
  EXPECT_THAT(beat(), ElementsAre("worker * 1", "worker /r1 1", "worker a 1"));
  for (const auto& ask : sent_.asks) EXPECT_EQ(ask.label, ask.location == "*" ? "gpu" : "") << ask.location;
}

TEST_F(AllocatorLocationsTest, heartbeats_are_frequent_while_containers_are_expected) {
  const HeartbeatOptions options;
  connect();
  EXPECT_LE(fsm_.next_heartbeat(now_), now_);
  (void)exchange();
  EXPECT_EQ(fsm_.next_heartbeat(now_), now_ + options.idle);
  fsm_.want(kWorker, 1, now_);
  EXPECT_EQ(fsm_.next_heartbeat(now_), now_ + options.at_least);
  (void)exchange();
  EXPECT_EQ(fsm_.next_heartbeat(now_), now_ + options.eager);
  now_ += options.patience;
  (void)exchange();
  EXPECT_EQ(fsm_.next_heartbeat(now_), now_ + options.patient);
  (void)exchange({.granted = {container(1, "a")}});
  EXPECT_EQ(fsm_.next_heartbeat(now_), now_ + options.idle);
}

TEST_F(AllocatorLocationsTest, a_resource_manager_that_does_not_answer_gets_heartbeats_at_the_normal_interval) {
  connect();
  (void)exchange();
  fsm_.release(container(1, "a").id);
  (void)beat();
  (void)fsm_.on_failure({make_error_code(hrpc::Errc::unreachable), "down"}, now_);
  EXPECT_EQ(fsm_.next_heartbeat(now_), now_ + HeartbeatOptions().idle);
}

}  // namespace
}  // namespace ydl::yarn::test
