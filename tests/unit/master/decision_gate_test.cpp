// What may be carried out while HDFS does not take the job's journal.
#include "master/decision_gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::master {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Store = DecisionGate::Store;

core::AttemptId worker(int index, int attempt = 1) {
  return {{"worker", index}, attempt};
}
job::Record said(std::string text) {
  return {job::RecordKind::note, {}, std::move(text), {}, {}, 0};
}

std::string short_name(const core::AttemptId& attempt) {
  return attempt.task.str() + "#" + std::to_string(attempt.attempt);
}

struct Name {
  std::string operator()(const job::Record& record) const { return record.text; }
  std::string operator()(const job::Launch& launch) const { return "launch " + short_name(launch.attempt); }
  std::string operator()(const job::Ask& ask) const { return "ask " + short_name(ask.attempt); }
  std::string operator()(const job::Stop& stop) const { return "stop " + short_name(stop.attempt); }
  std::string operator()(const job::Release& release) const { return "release " + short_name(release.attempt); }
  std::string operator()(const job::Adopt& adopt) const { return "adopt " + short_name(adopt.attempt); }
  std::string operator()(const job::Finish&) const { return "finish"; }
  template <class Other>
  std::string operator()(const Other&) const {
    return "other";
  }
};

class Gate : public testing::Test {
 protected:
  void add(std::vector<job::Action> actions) { gate_.add({.actions = std::move(actions)}); }
  // All that may be carried out now.
  std::vector<std::string> done() {
    std::vector<std::string> names;
    while (auto decision = gate_.next()) {
      for (const auto& action : decision->actions) names.push_back(std::visit(Name{}, action));
      dropped_.insert(dropped_.end(), decision->dropped.begin(), decision->dropped.end());
    }
    return names;
  }
  std::vector<std::string> stops() {
    std::vector<std::string> names;
    for (const auto& stop : gate_.early_stops()) names.push_back(short_name(stop.attempt));
    return names;
  }

  DecisionGate gate_;
  std::vector<core::AttemptId> dropped_;
};

TEST_F(Gate, a_decision_waits_until_its_event_is_written) {
  add({said("one")});
  add({said("two")});
  EXPECT_THAT(done(), IsEmpty());
  gate_.written(1);
  EXPECT_THAT(done(), ElementsAre("one"));
  gate_.written(2);
  EXPECT_THAT(done(), ElementsAre("two"));
}

TEST_F(Gate, what_people_read_waits_as_well) {  // another master would give its number to another event
  gate_.store_is(Store::away);
  add({said("worker:0 ended"), job::Release{worker(0)}});
  EXPECT_THAT(done(), IsEmpty());
  EXPECT_TRUE(gate_.is_held());
  gate_.written(1);
  EXPECT_THAT(done(), ElementsAre("worker:0 ended", "release worker:0#1"));
}

TEST_F(Gate, the_end_of_a_job_does_not_wait_for_a_store_while_the_scheduler_can_be_told) {
  gate_.store_is(Store::away);
  add({said("succeeded"), job::Finish{}});
  gate_.job_ends();
  EXPECT_FALSE(gate_.is_held());
  EXPECT_THAT(done(), ElementsAre("succeeded", "finish"));
  EXPECT_FALSE(gate_.has_written(1));
}

// Otherwise the next master would have no record of the ends of the tasks and would run the job again.
TEST_F(Gate, the_end_of_a_job_waits_while_neither_store_nor_scheduler_can_be_told) {
  gate_.store_is(Store::away);
  gate_.scheduler_is_silent();
  add({said("ended"), job::Release{worker(0)}, job::Finish{}});
  gate_.job_ends();
  EXPECT_TRUE(gate_.is_held());
  EXPECT_THAT(done(), IsEmpty());
  gate_.scheduler_answers();
  EXPECT_THAT(done(), ElementsAre("ended", "release worker:0#1", "finish"));
}

TEST_F(Gate, or_the_store_writes_again) {
  gate_.store_is(Store::away);
  gate_.scheduler_is_silent();
  add({job::Finish{}});
  gate_.job_ends();
  EXPECT_THAT(done(), IsEmpty());
  gate_.written(1);
  EXPECT_THAT(done(), ElementsAre("finish"));
}

TEST_F(Gate, tasks_of_a_job_that_ends_are_stopped_at_once) {
  gate_.store_is(Store::away);
  gate_.scheduler_is_silent();
  add({job::Launch{worker(1, 2)}});
  add({said("stopping"), job::Stop{worker(0), {}}, job::Stop{worker(1, 2), {}}});
  EXPECT_THAT(stops(), IsEmpty());
  gate_.job_ends();
  EXPECT_THAT(stops(), ElementsAre("worker:0#1")) << "the other one was never launched";
  EXPECT_THAT(stops(), IsEmpty());
  gate_.written(2);
  EXPECT_THAT(done(), ElementsAre("launch worker:1#2", "stopping", "stop worker:1#2"));
}

TEST_F(Gate, a_task_is_not_stopped_before_it_is_adopted) {
  gate_.store_is(Store::away);
  gate_.scheduler_is_silent();
  add({job::Adopt{worker(0), {}, job::Adopt::Stage::launched}, job::Stop{worker(0), {}}});
  gate_.job_ends();
  EXPECT_THAT(stops(), IsEmpty());
}

TEST_F(Gate, a_launch_that_is_not_written_is_dropped_when_the_job_ends) {
  gate_.store_is(Store::away);
  add({said("restarting"), job::Launch{worker(0, 2)}});
  add({job::Stop{worker(0, 2), {}}});
  gate_.job_ends();
  EXPECT_THAT(done(), ElementsAre("restarting", "stop worker:0#2"));
  EXPECT_THAT(dropped_, ElementsAre(worker(0, 2)));
}

TEST_F(Gate, a_broken_store_holds_nothing_back_but_what_begins_something) {
  gate_.store_is(Store::broken);
  add({said("worker:0 ended"), job::Release{worker(0)}});
  EXPECT_FALSE(gate_.is_held());
  EXPECT_FALSE(gate_.needs_store());
  EXPECT_THAT(done(), ElementsAre("worker:0 ended", "release worker:0#1"));
  add({job::Ask{worker(1, 2)}});
  add({said("later")});
  EXPECT_THAT(done(), IsEmpty());
  ASSERT_TRUE(gate_.needs_store());
  EXPECT_EQ(*gate_.needs_store(), worker(1, 2));
  gate_.job_ends();
  EXPECT_FALSE(gate_.needs_store());
  EXPECT_THAT(done(), ElementsAre("ask worker:1#2", "later"));
}

TEST_F(Gate, a_launch_waits_for_a_broken_store_and_goes_on_when_it_is_mended) {
  gate_.store_is(Store::broken);
  add({job::Launch{worker(0, 2)}});
  EXPECT_THAT(done(), IsEmpty());
  EXPECT_EQ(*gate_.needs_store(), worker(0, 2));
  gate_.store_is(Store::writes);
  gate_.written(1);
  EXPECT_FALSE(gate_.needs_store());
  EXPECT_THAT(done(), ElementsAre("launch worker:0#2"));
}

TEST_F(Gate, a_decision_that_waited_for_a_store_that_was_away_is_done_when_it_turns_out_to_be_broken) {
  gate_.store_is(Store::away);
  add({said("worker:0 ended")});
  EXPECT_THAT(done(), IsEmpty());
  gate_.store_is(Store::broken);
  EXPECT_THAT(done(), ElementsAre("worker:0 ended"));
}

// Ten thousand tasks report for an hour: what leads to nothing is not kept.
TEST_F(Gate, events_without_a_decision_cost_no_memory) {
  gate_.store_is(Store::away);
  for (int i = 0; i < 1'000'000; ++i) add({});
  EXPECT_EQ(gate_.waiting(), 0U);
  add({said("one")});
  gate_.written(1'000'000);
  EXPECT_THAT(done(), IsEmpty());
  gate_.written(1'000'001);
  EXPECT_THAT(done(), ElementsAre("one"));
}

TEST_F(Gate, a_change_of_the_jobs_state_is_a_decision) {
  gate_.add({.actions = {}, .state = job::JobState::running});
  EXPECT_EQ(gate_.waiting(), 1U);
  gate_.add({.actions = {}, .state = job::JobState::running});
  EXPECT_EQ(gate_.waiting(), 1U);
}

}  // namespace
}  // namespace ydl::master
