// An attempt that gets the container of the one before it.
#include "unit/backend/yarn/yarn_script.hpp"

namespace ydl::backend::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class YarnReuse : public YarnScript {
 protected:
  static TaskRequest not_on(const std::string& host) { return {.attempt = {}, .not_on = {host}}; }
  static TaskRequest with_port(std::uint16_t port) { return {.attempt = {}, .same_ports = {port}}; }
  // The first attempt of worker 0 has failed in container 2.
  void fail_first() {
    start();
    launch_on(0, 2);
    EXPECT_THAT(report(2, protocol::TaskExited{worker(0), {.code = 3}, 0, ""}),
                ElementsAre("job: exited worker:0#1: 3"));
    (void)beat();
  }
};

TEST_F(YarnReuse, the_next_attempt_is_prepared_in_the_container_and_none_is_asked_for) {
  fail_first();
  EXPECT_THAT(place_next(0), ElementsAre("agent 2: release worker:0#1", "agent 2: prepare worker:0#2"));
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate"));
  (void)machine_.allocated({.response_id = ++response_id_}, now_);
  EXPECT_THAT(report(2, protocol::Prepared{worker(0, 2), {4000}}),
              ElementsAre("job: placed worker:0#2 on node1 at 10.0.1.1"));
  EXPECT_THAT(lines(machine_.launch({worker(0, 2), {"train"}, {}}, now_)), ElementsAre("agent 2: launch worker:0#2"));
  EXPECT_THAT(report(2, protocol::TaskExited{worker(0, 2), {}, 0, ""}), ElementsAre("job: exited worker:0#2: 0"));
  EXPECT_THAT(lines(machine_.release(worker(0, 2), now_)), ElementsAre("agent 2: shutdown"));
  EXPECT_THAT(answered({.completed = {end_of(2, 0)}}), ElementsAre("forget agent 2"));
}

TEST_F(YarnReuse, one_that_could_not_start_leaves_its_container_to_the_next) {
  start();
  launch_on(0, 2);
  (void)report(2, protocol::TaskStartFailed{worker(0), job::Cause::start_failed, "no memory"});
  EXPECT_THAT(place_next(0), ElementsAre("agent 2: release worker:0#1", "agent 2: prepare worker:0#2"));
}

TEST_F(YarnReuse, one_that_was_only_placed_or_still_runs_leaves_its_container_to_the_next) {
  start();
  place_on(0, 2);
  launch_on(1, 3, "node2");
  EXPECT_THAT(place_next(0), ElementsAre("agent 2: release worker:0#1", "agent 2: prepare worker:0#2"));
  EXPECT_THAT(place_next(1), ElementsAre("agent 3: release worker:1#1", "agent 3: prepare worker:1#2"));
}

TEST_F(YarnReuse, reports_of_the_attempt_before_are_not_taken_for_the_next) {
  start();
  launch_on(0, 2);
  (void)place_next(0);
  EXPECT_THAT(report(2, protocol::TaskExited{worker(0), {.signal = 9}, 0, ""}), IsEmpty());
  EXPECT_THAT(lines(machine_.release(worker(0), now_)), IsEmpty());
  EXPECT_THAT(report(2, protocol::Prepared{worker(0, 2), {4000}}),
              ElementsAre("job: placed worker:0#2 on node1 at 10.0.1.1"));
}

TEST_F(YarnReuse, one_that_still_waits_is_asked_for_once) {
  start();
  (void)place(0);
  EXPECT_THAT(beat(), ElementsAre("allocate 1"));
  EXPECT_THAT(place_next(0), IsEmpty());
  EXPECT_THAT(answered({.granted = {container(2)}}), Contains("agent 2: prepare worker:0#2"));
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate"));
}

TEST_F(YarnReuse, a_container_that_ended_meanwhile_is_asked_for_anew) {
  fail_first();
  EXPECT_THAT(answered({.completed = {end_of(2, -102)}}), ElementsAre("forget agent 2")) << "the job is told nothing";
  EXPECT_THAT(place_next(0), IsEmpty());
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate 1"));
}

TEST_F(YarnReuse, an_idle_container_whose_agent_is_silent_is_ended_and_the_job_is_told_nothing) {
  fail_first();
  heard_[id(2)] = now_;
  (void)to_heartbeat();
  now_ += options().agent_silence + core::Seconds(1);
  EXPECT_THAT(tick(), ElementsAre("agent 2: shutdown", "stop 2", "forget agent 2"));
}

TEST_F(YarnReuse, an_agent_that_does_not_shut_down_has_its_container_ended_once) {
  fail_first();
  EXPECT_THAT(lines(machine_.release(worker(0), now_)), ElementsAre("agent 2: shutdown"));
  const auto told = now_;
  (void)to_heartbeat();
  now_ = told + core::Seconds(14);
  EXPECT_THAT(tick(), IsEmpty());
  now_ = told + core::Seconds(15);
  EXPECT_THAT(tick(), ElementsAre("agent 2: shutdown", "stop 2"));
  now_ += core::Seconds(30);
  EXPECT_THAT(tick(), IsEmpty());
  (void)machine_.allocated({.response_id = ++response_id_}, now_);
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate release 2"));
}

TEST_F(YarnReuse, a_container_on_an_avoided_host_is_given_back) {
  fail_first();
  machine_.avoid("node1");
  EXPECT_THAT(place_next(0), ElementsAre("agent 2: shutdown"));
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate 1 avoid node1"));
}

TEST_F(YarnReuse, a_container_where_the_attempt_is_not_to_be_is_given_back) {
  fail_first();
  EXPECT_THAT(place_next(0, not_on("node1")), ElementsAre("agent 2: shutdown"));
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate 1 avoid node1"));
}

TEST_F(YarnReuse, a_launched_attempt_that_does_not_leave_its_container_ends_with_it) {
  start();
  launch_on(0, 2);
  EXPECT_THAT(place_next(0, not_on("node1")), ElementsAre("agent 2: shutdown", "stop 2"));
}

TEST_F(YarnReuse, an_attempt_that_cannot_be_prepared_again_is_asked_for_elsewhere) {
  fail_first();
  (void)place_next(0);
  EXPECT_THAT(report(2, protocol::PrepareFailed{worker(0, 2), "the disk is full"}),
              ElementsAre("agent 2: shutdown", "stop 2", "forget agent 2", StartsWith("job: host failed worker:0#2"),
                          StartsWith("job: waits worker:0#2")));
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate 1 release 2 avoid node1"));
}

TEST_F(YarnReuse, a_container_lost_after_the_hand_over_has_the_logs_of_the_new_attempt) {
  fail_first();
  (void)place_next(0);
  (void)report(2, protocol::Prepared{worker(0, 2), {4000}});
  (void)machine_.launch({worker(0, 2), {"train"}, {}}, now_);
  EXPECT_THAT(answered({.completed = {end_of(2, 137)}}),
              Contains("save logs of 2 at 10.0.1.1 to /user/ann/.ydl/jobs/x/logs/worker-0/2"));
  EXPECT_THAT(lines(machine_.logs_saved(id(2), {}, now_)), Contains(StartsWith("job: lost worker:0#2")));
}

// ---- the same ports --------------------------------------------------------------------------------------------

TEST_F(YarnReuse, the_agent_is_told_which_ports_to_hold_again) {
  fail_first();
  const auto actions =
      machine_.place({.attempt = worker(0, 2), .ports = 1, .takes_over = worker(0), .same_ports = {4000}}, now_);
  ASSERT_EQ(actions.size(), 2U);
  const auto& prepare = std::get<protocol::Prepare>(std::get<SendToAgent>(actions.at(1)).command);
  EXPECT_THAT(prepare.same_ports, ElementsAre(4000));
}

TEST_F(YarnReuse, an_attempt_that_needs_its_address_is_lost_when_its_container_is_gone) {
  fail_first();
  (void)answered({.completed = {end_of(2, -100)}});
  EXPECT_THAT(
      place_next(0, with_port(4000)),
      ElementsAre(
          "job: lost worker:0#2: the container of its last attempt has ended, so the task cannot keep its address"));
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate")) << "nothing is asked for";
}

TEST_F(YarnReuse, an_attempt_that_needs_its_address_is_lost_when_it_cannot_be_prepared) {
  fail_first();
  (void)place_next(0, with_port(4000));
  EXPECT_THAT(report(2, protocol::PrepareFailed{worker(0, 2), "port 4000 is used", job::Cause::port_taken}),
              ElementsAre("agent 2: shutdown", "stop 2", "forget agent 2",
                          "job: lost worker:0#2: the task could not be prepared on node1: port 4000 is used"));
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate release 2"));
}

TEST_F(YarnReuse, an_attempt_that_needs_its_address_is_lost_when_its_container_ends_before_it_is_prepared) {
  fail_first();
  (void)place_next(0, with_port(4000));
  EXPECT_THAT(answered({.completed = {end_of(2, -102)}}),
              ElementsAre("forget agent 2", StartsWith("job: lost worker:0#2: its container on node1 ended")));
}

}  // namespace
}  // namespace ydl::backend::test
