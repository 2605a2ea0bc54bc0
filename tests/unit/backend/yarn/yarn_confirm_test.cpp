// Never two attempts of a task at a time: when the end of a lost container counts, and what another master adopts.
#include "backend/yarn/agent_container.hpp"
#include "hrpc/errors.hpp"
#include "yarn_script.hpp"

namespace ydl::backend::test {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using Found = YarnMachine::Found;

class YarnConfirm : public YarnScript {
 protected:
  YarnConfirm() {
    auto replaceable = options();
    replaceable.can_be_replaced = true;
    machine_ = YarnMachine(job(), replaceable);
  }
  Lines looked(int number, Found found) { return lines(machine_.container_looked_at(id(number), found, now_)); }
  Lines revoked(int number) { return lines(machine_.revoked(id(number), {}, now_)); }
  // The watch looks once a second; heartbeats of the ResourceManager are left out.
  Lines after(core::Millis time) {
    now_ += time;
    auto done = tick();
    std::erase_if(done, [](const std::string& line) { return line.starts_with("allocate"); });
    return done;
  }
};

TEST_F(YarnConfirm, a_preempted_container_counts_when_its_node_manager_has_ended_it) {
  start();
  launch_on(0, 2);
  EXPECT_THAT(answered({.completed = {end_of(2, -102)}}), ElementsAre("agent 2: shutdown", "stop 2", "look at 2"));
  EXPECT_THAT(looked(2, Found::running), IsEmpty());
  EXPECT_THAT(looked(2, Found::unknown), Contains(StartsWith("save logs of 2")));
  EXPECT_THAT(lines(machine_.logs_saved(id(2), {}, now_)), Contains(StartsWith("job: lost worker:0#1")));
}

TEST_F(YarnConfirm, the_agent_of_a_lost_host_confirms_what_its_node_manager_cannot) {
  start();
  launch_on(0, 2);
  (void)answered({.completed = {end_of(2, -100)}});
  EXPECT_THAT(looked(2, Found::unknown), IsEmpty()) << "it may have been restarted, and its containers live on";
  EXPECT_THAT(report(2, protocol::TaskGone{worker(0)}), Contains(StartsWith("save logs of 2")));
}

// The ResourceManager had ended this container before, so it does not tell that the node has lost it.
TEST_F(YarnConfirm, a_node_manager_that_was_restarted_meanwhile_proves_nothing) {
  start();
  launch_on(0, 2);
  heard_[id(2)] = now_;
  (void)answered({.completed = {end_of(2, -102)}});
  EXPECT_THAT(looked(2, Found::unknown), IsEmpty()) << "it may have forgotten the container before";
  EXPECT_THAT(after(2s), Contains("look at 2"));
  EXPECT_THAT(looked(2, Found::running), IsEmpty());
  EXPECT_THAT(after(2s), Contains("look at 2"));
  EXPECT_THAT(looked(2, Found::no_answer), IsEmpty());
  EXPECT_THAT(after(11s), Contains("look at 2"));
  EXPECT_THAT(looked(2, Found::unknown), IsEmpty()) << "it may have been restarted while it did not answer";
  EXPECT_THAT(report(2, protocol::TaskGone{worker(0)}), Contains(StartsWith("save logs of 2")));
}

TEST_F(YarnConfirm, a_silent_host_counts_as_lost_when_its_agent_must_have_ended) {
  start();
  launch_on(0, 2);
  heard_[id(2)] = now_;
  EXPECT_THAT(after(61s), ElementsAre("agent 2: shutdown", "stop 2", "look at 2", "revoke 2"));
  EXPECT_THAT(revoked(2), IsEmpty());
  EXPECT_THAT(after(59s), Not(Contains(StartsWith("job: lost"))));
  EXPECT_THAT(after(2s), Contains(StartsWith("job: lost worker:0#1: its agent on node1 has not called for 1 min")));
}

class YarnUnmanaged : public YarnConfirm {
 protected:
  YarnUnmanaged() { machine_ = YarnMachine(job(), options()); }
};

// Agents of a master that cannot be replaced end by themselves, soon after they have lost it.
TEST_F(YarnUnmanaged, a_silent_host_needs_no_revocation) {
  start();
  launch_on(0, 2);
  heard_[id(2)] = now_;
  EXPECT_THAT(after(61s), ElementsAre("agent 2: shutdown", "stop 2", "look at 2"));
  EXPECT_THAT(after(30s), Not(Contains(StartsWith("job: lost"))));
  EXPECT_THAT(after(5s), Contains(StartsWith("job: lost worker:0#1: its agent on node1 has not called for 1 min")));
}

TEST_F(YarnConfirm, nothing_is_replaced_while_a_revocation_cannot_be_written) {
  start();
  launch_on(0, 2);
  heard_[id(2)] = now_;
  (void)after(61s);
  const auto failed = core::Result<>(core::fail(core::Errc::unavailable, "no NameNode"));
  EXPECT_THAT(lines(machine_.revoked(id(2), failed, now_)), IsEmpty());
  EXPECT_THAT(after(10min), Contains("revoke 2"));
  EXPECT_THAT(after(10min), Not(Contains(StartsWith("job: lost"))));
}

TEST_F(YarnConfirm, a_success_from_before_the_loss_counts_as_one) {
  start();
  launch_on(0, 2);
  (void)answered({.completed = {end_of(2, -102)}});
  EXPECT_THAT(report(2, protocol::TaskExited{worker(0), {}, 0, ""}),
              ElementsAre("job: exited worker:0#1: 0", "forget agent 2"));
}

TEST_F(YarnConfirm, an_end_by_our_own_shutdown_is_not_the_tasks_own) {
  start();
  launch_on(0, 2);
  (void)answered({.completed = {end_of(2, -102)}});
  EXPECT_THAT(report(2, protocol::TaskExited{worker(0), {.code = 0, .signal = 9}, 0, ""}),
              Contains(StartsWith("save logs of 2")));
  EXPECT_THAT(lines(machine_.logs_saved(id(2), {}, now_)), Contains(StartsWith("job: lost worker:0#1")));
}

TEST_F(YarnConfirm, a_node_manager_that_does_not_answer_is_asked_again_later) {
  start();
  launch_on(0, 2);
  heard_[id(2)] = now_;
  EXPECT_THAT(answered({.completed = {end_of(2, -102)}}), Contains("look at 2"));
  EXPECT_THAT(after(5s), Not(Contains("look at 2"))) << "the first look is still under way";
  EXPECT_THAT(looked(2, Found::no_answer), IsEmpty());
  EXPECT_THAT(after(5s), Not(Contains("look at 2")));
  EXPECT_THAT(after(6s), Contains("look at 2"));
  EXPECT_THAT(looked(2, Found::running), IsEmpty());
  EXPECT_THAT(after(1s), Contains("look at 2")) << "one that answers is asked every second";
}

TEST_F(YarnConfirm, a_look_that_finds_nothing_proves_nothing_once_the_host_was_lost) {
  start();
  launch_on(0, 2);
  heard_[id(2)] = now_;
  EXPECT_THAT(after(61s), Contains("look at 2"));
  (void)looked(2, Found::running);
  EXPECT_THAT(after(1s), Contains("look at 2"));
  (void)answered({.completed = {end_of(2, -100)}});  // while the look is under way
  EXPECT_THAT(looked(2, Found::unknown), IsEmpty());
  EXPECT_THAT(report(2, protocol::TaskGone{worker(0)}), Contains(StartsWith("job: lost worker:0#1")));
}

// ---- another master --------------------------------------------------------------------------------------------

class YarnAdopt : public YarnConfirm {
 protected:
  using Stage = job::Adopt::Stage;

  YarnAdopt() {
    auto replacing = options();
    replacing.can_be_replaced = true;
    replacing.replaces_another = true;
    machine_ = YarnMachine(job(), replacing);
  }
  void start_with(std::vector<yarn::Container> earlier) {
    EXPECT_THAT(tick(), ElementsAre("register"));
    auto registration = all_tokens();
    registration.from_previous_attempts = std::move(earlier);
    EXPECT_THAT(lines(machine_.registered(registration, now_)), IsEmpty());
  }
  Lines adopt(int index, int number, Stage stage, const std::string& host = "node1") {
    const job::Place place{"10.0.1.1", host, {4000}, container_name(container(number, host))};
    return lines(machine_.adopt({.attempt = worker(index), .ports = 1}, {worker(index), place, stage}, now_));
  }
  Lines hello(int number, std::vector<core::AttemptId> holds) {
    protocol::Hello hello;
    hello.holds = std::move(holds);
    return lines(machine_.agent_called(id(number), hello, now_));
  }
};

TEST_F(YarnAdopt, what_runs_goes_on_and_what_is_left_over_is_released) {
  start_with({container(2), container(3, "node2")});
  EXPECT_THAT(adopt(0, 2, Stage::launched), ElementsAre("expect agent 2"));
  EXPECT_THAT(lines(machine_.adopted_all(now_)), ElementsAre("stop 3"));
  EXPECT_THAT(to_heartbeat(), ElementsAre("allocate release 3"));
  EXPECT_THAT(hello(2, {worker(0)}), IsEmpty());
  EXPECT_THAT(report(2, protocol::Prepared{worker(0), {4000}}), IsEmpty());
  EXPECT_THAT(report(2, protocol::TaskStarted{worker(0), 42}), ElementsAre("job: started worker:0#1"));
  EXPECT_THAT(report(2, protocol::TaskExited{worker(0), {}, 0, ""}), ElementsAre("job: exited worker:0#1: 0"));
}

TEST_F(YarnAdopt, an_agent_that_does_not_have_the_attempt_has_lost_it) {
  start_with({container(2)});
  (void)adopt(0, 2, Stage::launched);
  (void)machine_.adopted_all(now_);
  EXPECT_THAT(hello(2, {}), Contains(StartsWith("job: lost worker:0#1: its agent on node1 no longer has it")));
}

TEST_F(YarnAdopt, attempts_that_only_the_agent_knows_are_released) {
  start_with({container(2)});
  (void)adopt(0, 2, Stage::over);
  (void)machine_.adopted_all(now_);
  EXPECT_THAT(hello(2, {worker(0), worker(0, 2)}), ElementsAre("agent 2: release worker:0#2"));
}

TEST_F(YarnAdopt, a_container_that_was_kept_gets_the_next_attempt) {
  start_with({container(2)});
  (void)adopt(0, 2, Stage::over);
  EXPECT_THAT(place_next(0), ElementsAre("agent 2: release worker:0#1", "agent 2: prepare worker:0#2"));
  (void)machine_.adopted_all(now_);
  EXPECT_THAT(hello(2, {worker(0)}), Not(Contains(StartsWith("job: lost"))));
  EXPECT_THAT(report(2, protocol::Prepared{worker(0, 2), {4000}}), Contains(StartsWith("job: placed worker:0#2")));
}

// The agent did not get the answer in time and said hello again; the first hello was under way for longer.
TEST_F(YarnAdopt, a_hello_that_comes_late_loses_no_attempt_that_was_handed_over_since) {
  start_with({container(2)});
  (void)adopt(0, 2, Stage::over);
  (void)place_next(0);
  (void)machine_.adopted_all(now_);
  (void)hello(2, {worker(0)});
  EXPECT_THAT(report(2, protocol::Prepared{worker(0, 2), {4000}}), Contains(StartsWith("job: placed worker:0#2")));
  EXPECT_THAT(hello(2, {worker(0)}), IsEmpty());
}

// The agent may obey the master that was replaced, for as long as that one is blind.
TEST_F(YarnAdopt, an_agent_that_never_calls_is_waited_for_longer) {
  start_with({container(2)});
  (void)adopt(0, 2, Stage::launched);
  (void)machine_.adopted_all(now_);
  heard_[id(2)] = now_;
  EXPECT_THAT(after(61s), Contains("revoke 2"));
  (void)revoked(2);
  EXPECT_THAT(after(5min), Not(Contains(StartsWith("job: lost"))));
  EXPECT_THAT(after(61s), Contains(StartsWith("job: lost worker:0#1")));
}

TEST_F(YarnAdopt, a_container_that_ended_with_the_master_is_looked_for_at_its_nodes_page) {
  EXPECT_THAT(tick(), ElementsAre("register"));
  (void)machine_.registered({}, now_);
  (void)adopt(0, 2, Stage::launched);
  (void)machine_.adopted_all(now_);
  auto end = end_of(2, -100);
  end.diagnostics = "Container of a completed application";
  EXPECT_THAT(answered({.completed = {end}}), ElementsAre("agent 2: shutdown", "look at 2 on 10.0.1.1:8042"));
  EXPECT_THAT(looked(2, Found::complete), Contains(StartsWith("save logs of 2")));
}

TEST_F(YarnAdopt, an_end_that_was_told_before_the_adoption_is_not_forgotten) {
  start_with({});
  EXPECT_THAT(answered({.completed = {end_of(2, -100)}}), IsEmpty());
  (void)adopt(0, 2, Stage::launched);
  EXPECT_THAT(lines(machine_.adopted_all(now_)), ElementsAre("agent 2: shutdown", "stop 2", "look at 2"));
}

TEST_F(YarnAdopt, a_master_that_the_resource_manager_does_not_know_gives_the_job_up) {
  start_with({});
  (void)machine_.adopted_all(now_);
  (void)to_heartbeat();
  EXPECT_THAT(lines(machine_.allocate_failed(thrown("ApplicationAttemptNotFoundException"), now_)),
              ElementsAre("give up the job"));
}

// The ResourceManager refuses the token of a master that it has replaced before it looks at the call.
TEST_F(YarnAdopt, a_master_whose_token_is_not_accepted_any_more_gives_the_job_up) {
  start_with({});
  (void)machine_.adopted_all(now_);
  (void)to_heartbeat();
  EXPECT_THAT(lines(machine_.allocate_failed({hrpc::Errc::invalid_token, "the token is not known"}, now_)),
              ElementsAre("give up the job"));
}

TEST(ContainerName, is_read_back) {
  const yarn::Container container{
      .id = {{{1700000000000, 1}, 1}, 7}, .node = {"node1", 8041}, .node_http_address = "node1:8042"};
  const auto back = parse_container_name(container_name(container));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->id, container.id);
  EXPECT_EQ(back->node, container.node);
  EXPECT_EQ(back->node_http_address, "node1:8042");
  for (const auto* text : {"", "container_1_1_1_1", "x@node1:8041/", "container_1700000000000_0001_01_000007@node1/x"})
    EXPECT_FALSE(parse_container_name(text)) << text;
}

}  // namespace
}  // namespace ydl::backend::test
