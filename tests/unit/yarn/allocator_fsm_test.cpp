#include "hrpc/errors.hpp"
#include "unit/yarn/allocator_script.hpp"

#include <gmock/gmock.h>

namespace ydl::yarn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using State = AllocatorFsm::State;
using Next = AllocatorFsm::Next;

class AllocatorTest : public Script {};

TEST_F(AllocatorTest, a_request_is_not_repeated_while_nothing_changes) {
  fsm_.want(kWorker, 2, now_);
  connect();
  EXPECT_THAT(beat(), ElementsAre("worker * 2", "worker /r1 2", "worker a 1", "worker b 1"));
  EXPECT_EQ(sent_.asks[0].resource, kSize);
  (void)answer();
  EXPECT_THAT(beat(), IsEmpty());
}

TEST_F(AllocatorTest, the_response_id_is_the_last_one_received) {
  connect();
  (void)beat();
  EXPECT_EQ(sent_.response_id, 0);
  (void)answer();
  (void)beat();
  EXPECT_EQ(sent_.response_id, 1);
}

TEST_F(AllocatorTest, a_grant_reduces_the_request_and_nothing_is_repeated) {
  fsm_.want(kWorker, 2, now_);
  connect();
  const auto heard = exchange({.granted = {container(1, "a")}});
  EXPECT_THAT(heard.granted, SizeIs(1));
  EXPECT_EQ(fsm_.open_asks(), 1);
  EXPECT_THAT(beat(), IsEmpty());
  EXPECT_THAT(answer({.granted = {container(2, "b")}}).granted, SizeIs(1));
  EXPECT_EQ(fsm_.open_asks(), 0);
  EXPECT_THAT(beat(), IsEmpty());
}

TEST_F(AllocatorTest, remaining_locations_are_set_to_zero_when_everything_is_granted) {
  fsm_.want(kWorker, 2, now_);
  connect();
  (void)exchange({.granted = {container(1, "a"), container(2, "c")}});  // c was not named
  EXPECT_THAT(beat(), ElementsAre("worker /r1 0", "worker b 0"));
}

TEST_F(AllocatorTest, a_further_request_has_the_total_open_count) {
  fsm_.want(kWorker, 2, now_);
  connect();
  (void)exchange({.granted = {container(1, "a")}});
  fsm_.want(kWorker, 3, now_);
  (void)beat();
  EXPECT_EQ(sent_.asks[0].location, "*");
  EXPECT_EQ(sent_.asks[0].count, 4);
}

TEST_F(AllocatorTest, a_request_can_be_cancelled) {
  fsm_.want(kWorker, 2, now_);
  connect();
  (void)exchange();
  fsm_.want(kWorker, -5, now_);
  EXPECT_EQ(fsm_.open_asks(), 0);
  EXPECT_THAT(beat(), ElementsAre("worker * 0", "worker /r1 0", "worker a 0", "worker b 0"));
}

TEST_F(AllocatorTest, surplus_containers_are_released_and_not_reported) {
  fsm_.want(kWorker, 1, now_);
  connect();
  const auto heard = exchange({.granted = {container(1, "a"), container(2, "b")}});
  ASSERT_THAT(heard.granted, SizeIs(1));
  EXPECT_EQ(heard.granted[0].id, container(1, "a").id);
  (void)beat();
  EXPECT_THAT(sent_.releases, ElementsAre(container(2, "b").id));
  EXPECT_THAT(answer({.completed = {end_of(container(2, "b"), -100)}}).completed, IsEmpty());
  (void)beat();
  EXPECT_THAT(sent_.releases, IsEmpty());
}

TEST_F(AllocatorTest, a_container_of_an_unknown_role_is_released) {
  connect();
  EXPECT_THAT(exchange({.granted = {container(1, "a", {{9}, 9})}}).granted, IsEmpty());
  (void)beat();
  EXPECT_THAT(sent_.releases, SizeIs(1));
}

TEST_F(AllocatorTest, without_an_allocation_id_the_priority_identifies_the_role) {
  fsm_.want(kServer, 1, now_);
  connect();
  const auto heard = exchange({.granted = {container(1, "a", {kServer.priority, -1})}});
  ASSERT_THAT(heard.granted, SizeIs(1));
  EXPECT_EQ(heard.granted[0].key, kServer);
}

TEST_F(AllocatorTest, each_completion_is_reported_once) {
  fsm_.want(kWorker, 1, now_);
  connect();
  (void)exchange({.granted = {container(1, "a")}});
  const auto heard = exchange({.completed = {end_of(container(1, "a"), 3)}});
  ASSERT_THAT(heard.completed, SizeIs(1));
  EXPECT_EQ(heard.completed[0].exit_status, 3);
  EXPECT_THAT(exchange({.completed = {end_of(container(1, "a"), 3)}}).completed, IsEmpty());
}

TEST_F(AllocatorTest, a_repeated_grant_counts_once) {
  fsm_.want(kWorker, 2, now_);
  connect();
  EXPECT_THAT(exchange({.granted = {container(1, "a")}}).granted, SizeIs(1));
  EXPECT_THAT(exchange({.granted = {container(1, "a")}}).granted, IsEmpty());
  EXPECT_EQ(fsm_.open_asks(), 1);
}

// For example if the container expired or its host was lost before the answer was sent.
TEST_F(AllocatorTest, a_container_may_be_granted_and_completed_in_one_answer) {
  fsm_.want(kWorker, 1, now_);
  connect();
  const auto heard = exchange({.granted = {container(1, "a")}, .completed = {end_of(container(1, "a"), -100)}});
  EXPECT_THAT(heard.granted, SizeIs(1));
  EXPECT_THAT(heard.completed, SizeIs(1));
  EXPECT_EQ(fsm_.open_asks(), 0) << "the ResourceManager owes none for it";
  fsm_.want(kWorker, 1, now_);
  EXPECT_THAT(beat(), Not(IsEmpty()));
  EXPECT_EQ(sent_.asks[0].count, 1);
}

TEST_F(AllocatorTest, after_a_lost_answer_the_same_request_is_sent_again) {
  fsm_.want(kWorker, 1, now_);
  connect();
  (void)beat();
  const auto first = sent_;
  EXPECT_EQ(fsm_.on_failure({make_error_code(hrpc::Errc::connection_lost), "lost"}, now_), Next::go_on);
  fsm_.want(kServer, 1, now_);  // must wait: a ResourceManager that has served the first one would not look at it
  (void)beat();
  EXPECT_EQ(sent_, first);
  (void)answer({.granted = {container(1, "a")}});
  (void)beat();
  ASSERT_FALSE(sent_.asks.empty());
  EXPECT_EQ(sent_.asks[0].key, kServer);
}

TEST_F(AllocatorTest, after_a_restart_of_the_resource_manager_everything_is_sent_again) {
  fsm_.want(kWorker, 2, now_);
  fsm_.avoid("bad");
  connect();
  (void)exchange({.granted = {container(1, "a")}});
  fsm_.release(container(1, "a").id);
  (void)exchange();
  (void)beat();
  EXPECT_EQ(fsm_.on_failure(thrown("ApplicationMasterNotRegisteredException"), now_), Next::go_on);
  EXPECT_EQ(fsm_.state(), State::unregistered);
  connect();
  const auto asks = beat();
  EXPECT_EQ(asks.at(0), "worker * 1");
  EXPECT_EQ(sent_.response_id, 0);
  EXPECT_THAT(sent_.releases, ElementsAre(container(1, "a").id));
  EXPECT_THAT(sent_.avoid, ElementsAre("bad"));
}

TEST_F(AllocatorTest, the_resync_command_of_an_old_resource_manager_has_the_same_effect) {
  fsm_.want(kWorker, 1, now_);
  connect();
  (void)exchange({.command = AllocateResponse::Command::resync});
  EXPECT_EQ(fsm_.state(), State::unregistered);
  connect();
  EXPECT_EQ(beat().at(0), "worker * 1");
  (void)answer({.command = AllocateResponse::Command::shutdown});
  EXPECT_EQ(fsm_.state(), State::over);
}

TEST_F(AllocatorTest, a_registration_is_due_at_once_after_a_restart_of_the_resource_manager) {
  for (const bool thrown_away : {true, false}) {
    AllocatorFsm fsm({}, {});
    (void)fsm.registered({}, now_);
    (void)fsm.next_request(now_);
    if (thrown_away) {
      EXPECT_EQ(fsm.on_failure(thrown("ApplicationMasterNotRegisteredException"), now_), Next::go_on);
    } else {
      (void)fsm.on_response({.command = AllocateResponse::Command::resync}, now_);
    }
    EXPECT_EQ(fsm.state(), State::unregistered);
    EXPECT_EQ(fsm.next_heartbeat(now_), now_);
  }
}

TEST_F(AllocatorTest, a_failed_registration_is_repeated_after_a_pause) {
  const core::Error gone{make_error_code(hrpc::Errc::connection_lost), "lost"};
  fsm_.want(kWorker, 1, now_);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(fsm_.on_registration_failure(gone, now_), Next::go_on);
    EXPECT_EQ(fsm_.state(), State::unregistered);
    EXPECT_EQ(fsm_.next_heartbeat(now_), now_ + HeartbeatOptions{}.registration_pause);
    now_ = fsm_.next_heartbeat(now_);
  }
  connect();
  EXPECT_EQ(beat().at(0), "worker * 1");
}

TEST_F(AllocatorTest, already_registered_counts_as_registered) {
  auto already = thrown("InvalidApplicationMasterRequestException", hrpc::Errc::invalid_request);
  already.remote->message = "Application Master is already registered : application_1700000000000_0001";
  fsm_.want(kWorker, 1, now_);
  EXPECT_EQ(fsm_.on_registration_failure(already, now_), Next::go_on);
  EXPECT_EQ(fsm_.state(), State::idle);
  EXPECT_EQ(beat().at(0), "worker * 1");
}

TEST_F(AllocatorTest, a_registration_that_will_always_be_refused_ends_the_master) {
  for (const auto& error : {thrown("ApplicationAttemptNotFoundException"),
                            thrown("InvalidApplicationMasterRequestException", hrpc::Errc::invalid_request),
                            core::Error{make_error_code(hrpc::Errc::invalid_token), "expired"}}) {
    AllocatorFsm fsm({}, {});
    EXPECT_EQ(fsm.on_registration_failure(error, now_), Next::end) << error.message;
    EXPECT_EQ(fsm.state(), State::over);
  }
}

TEST_F(AllocatorTest, an_attempt_that_is_over_or_refused_ends_the_master) {
  for (const auto& error : {thrown("ApplicationAttemptNotFoundException"),
                            thrown("InvalidResourceRequestException", hrpc::Errc::invalid_request),
                            core::Error{make_error_code(hrpc::Errc::invalid_token), "expired"}}) {
    AllocatorFsm fsm({}, {});
    (void)fsm.registered({}, now_);
    (void)fsm.next_request(now_);
    EXPECT_EQ(fsm.on_failure(error, now_), Next::end) << error.message;
    EXPECT_EQ(fsm.state(), State::over);
  }
}

TEST_F(AllocatorTest, a_new_token_is_reported_once) {
  connect();
  const hrpc::Token token{"id2", "pw", "YARN_AM_RM_TOKEN", ""};
  EXPECT_EQ(exchange({.am_rm_token = token}).new_token, token);
  EXPECT_EQ(exchange({.am_rm_token = token}).new_token, std::nullopt);  // repeated until it has been used
  const hrpc::Token newer{"id3", "pw", "YARN_AM_RM_TOKEN", ""};
  EXPECT_EQ(exchange({.am_rm_token = newer}).new_token, newer);
}

TEST_F(AllocatorTest, the_newest_token_of_a_node_is_kept) {
  (void)fsm_.registered({.nm_tokens = {{{"a", 45454}, {"old", "", "NMToken", ""}}}}, now_);
  ASSERT_NE(fsm_.nm_token({"a", 45454}), nullptr);
  (void)exchange({.nm_tokens = {{{"a", 45454}, {"new", "", "NMToken", ""}}}});
  (void)exchange();
  EXPECT_EQ(fsm_.nm_token({"a", 45454})->identifier, "new");
  EXPECT_EQ(fsm_.nm_token({"b", 45454}), nullptr);
}

TEST_F(AllocatorTest, containers_of_an_earlier_attempt_are_reported_once) {
  const auto heard = fsm_.registered({.from_previous_attempts = {container(1, "a")}}, now_);
  EXPECT_THAT(heard.recovered, SizeIs(1));
  EXPECT_THAT(exchange({.from_previous_attempts = {container(1, "a"), container(2, "b")}}).recovered, SizeIs(1));
  EXPECT_THAT(exchange({.completed = {end_of(container(1, "a"))}}).completed, SizeIs(1));
}

TEST_F(AllocatorTest, a_repeated_release_is_sent_once) {
  fsm_.want(kWorker, 1, now_);
  connect();
  (void)exchange({.granted = {container(1, "a")}});
  fsm_.release(container(1, "a").id);
  fsm_.release(container(1, "a").id);
  (void)beat();
  EXPECT_THAT(sent_.releases, SizeIs(1));
  (void)answer();
  fsm_.release(container(1, "a").id);
  (void)beat();
  EXPECT_THAT(sent_.releases, IsEmpty());
  EXPECT_THAT(answer({.completed = {end_of(container(1, "a"), -100)}}).completed, SizeIs(1));
  fsm_.release(container(1, "a").id);  // too late
  (void)beat();
  EXPECT_THAT(sent_.releases, IsEmpty());
}

TEST_F(AllocatorTest, preemption_is_reported) {
  connect();
  const auto heard =
      exchange({.will_be_preempted = {container(1, "a").id}, .may_be_preempted = {container(2, "a").id}});
  EXPECT_THAT(heard.will_be_preempted, ElementsAre(container(1, "a").id));
  EXPECT_THAT(heard.may_be_preempted, ElementsAre(container(2, "a").id));
}

}  // namespace
}  // namespace ydl::yarn::test
