// Whole stories of a job: the master, its state machine and its files, over the fake backend.
#include "core/json.hpp"
#include "master_fixture.hpp"

#include <algorithm>
#include <gmock/gmock.h>

namespace ydl::master {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

backend::FakeTask exits(int code) {
  backend::FakeTask task;
  task.exit_code = code;
  return task;
}
backend::FakeTask never_ends() {
  backend::FakeTask task;
  task.never_ends = true;
  return task;
}

// A backend that remembers what it was told and answers at once, while it is being told. Workers succeed by
// themselves, all others when they are stopped.
struct Spy final : backend::Backend {
  explicit Spy(backend::Sink sink_) : sink(std::move(sink_)) {}
  net::Async<> open() override { co_return core::Result<>{}; }
  void place(backend::TaskRequest request) override {
    requests.push_back(request);
    std::vector<std::uint16_t> ports{static_cast<std::uint16_t>(7000 + requests.size())};
    if (request.scheduler) ports.push_back(9000);
    sink.event(job::Placed{request.attempt, {"10.0.0.1", "n1", std::move(ports)}});
  }
  void launch(protocol::Launch request) override {
    launches.push_back(request);
    sink.event(job::Started{request.attempt, 1});
    if (request.attempt.task.role == "worker") sink.event(job::Exited{request.attempt, {}});
  }
  void pass(protocol::Notice notice) override {
    launches_at_notice.push_back(launches.size());
    notices.push_back(std::move(notice));
  }
  void stop(protocol::Stop request) override { sink.event(job::Exited{request.attempt, {0, 15}}); }
  void release(const core::AttemptId&) override {}
  void avoid(const std::string& node) override { avoided.push_back(node); }
  net::awaitable<void> close(const job::Outcome& /*outcome*/) override { co_return; }

  backend::Sink sink;
  std::vector<std::string> avoided;
  std::vector<backend::TaskRequest> requests;
  std::vector<protocol::Launch> launches;
  std::vector<protocol::Notice> notices;
  std::vector<std::size_t> launches_at_notice;  // how many were before it
};

TEST_F(MasterTest, a_job_that_succeeds_leaves_its_whole_history_on_disk) {
  make(job(1));
  const auto outcome = run();
  EXPECT_EQ(outcome.state, job::JobState::succeeded);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(events(), ElementsAre("job_placing", "task_placed worker:0#1", "task_starting worker:0#1",
                                    "task_running worker:0#1", "job_running", "task_succeeded worker:0#1",
                                    "job_finishing", "job_succeeded"));
  const auto state = state_on_disk();
  EXPECT_EQ(state.state, job::JobState::succeeded);
  EXPECT_EQ(state.tasks, 1);
  EXPECT_EQ(state.exit_code, 0);
  EXPECT_TRUE(state.finished);
  EXPECT_EQ(state.cause, "");
}

TEST_F(MasterTest, the_view_left_on_disk_is_the_one_clients_saw_last) {
  make(job(2), {{"worker:1", exits(3)}});
  run();
  const auto stored = client::stored_job_view(folder_);
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(stored->id, folder_.id().str());
  EXPECT_EQ(stored->state, job::JobState::failed);
  EXPECT_EQ(stored->exit_code, 3);
  EXPECT_EQ(stored->reason, view().reason);
  EXPECT_TRUE(stored->finished);
  ASSERT_EQ(stored->tasks.size(), 2U);
  EXPECT_EQ(stored->tasks[1].state, job::TaskState::failed);
  EXPECT_TRUE(stored->tasks[1].ran_for);
}

TEST_F(MasterTest, a_failure_ends_the_job_with_the_tasks_code_and_names_it) {
  make(job(2), {{"worker:0", never_ends()}, {"worker:1", exits(3)}});
  const auto outcome = run();
  EXPECT_EQ(outcome.state, job::JobState::failed);
  EXPECT_EQ(outcome.exit_code, 3);
  const auto state = state_on_disk();
  EXPECT_EQ(state.state, job::JobState::failed);
  EXPECT_EQ(state.cause, "worker:1");
  EXPECT_EQ(state.cause_attempt, 1);
  EXPECT_THAT(state.reason, HasSubstr("worker:1"));
  EXPECT_THAT(events(), Contains("task_failed worker:1#1"));
  EXPECT_THAT(events(), Contains("task_stopping worker:0#1"));
  EXPECT_EQ(events().back(), "job_failed");
}

TEST_F(MasterTest, a_signal_ends_the_job_as_a_shell_would_say_it) {
  backend::FakeTask killed;
  killed.exit_signal = 11;
  make(job(1), {{"worker:0", killed}});
  EXPECT_EQ(run().exit_code, 139);
}

TEST_F(MasterTest, a_failed_task_is_tried_again_on_new_ports) {
  auto spec = job(2);
  spec.retries = 1;
  make(spec, {{"worker:1#1", exits(3)}});
  EXPECT_EQ(run().state, job::JobState::succeeded);
  EXPECT_THAT(events(), Contains("task_failed worker:1#1"));
  EXPECT_THAT(events(), Contains("task_retry worker:1#1"));
  EXPECT_THAT(events(), Contains("task_succeeded worker:1#2"));
  EXPECT_EQ(view().tasks[1].attempt, 2);
}

TEST_F(MasterTest, retries_come_to_an_end) {
  auto spec = job(1);
  spec.retries = 2;
  make(spec, {{"worker:0", exits(3)}});
  EXPECT_EQ(run().exit_code, 3);
  EXPECT_THAT(events(), Contains("task_failed worker:0#3"));
  EXPECT_THAT(events(), Not(Contains("task_running worker:0#4")));
  EXPECT_EQ(state_on_disk().cause_attempt, 3);
}

TEST_F(MasterTest, a_lost_host_of_a_cluster_is_not_a_reason_to_fail) {
  cluster_ = core::ClusterKind::yarn;
  auto spec = job(1);
  spec.retries = 0;
  auto lost = never_ends();
  lost.lose_node_after = core::Millis(5);
  make(spec, {{"worker:0#1", lost}});
  EXPECT_EQ(run().state, job::JobState::succeeded);
  EXPECT_THAT(events(), Contains("task_failed worker:0#1"));
}

TEST_F(MasterTest, a_command_that_cannot_start_fails_the_job_at_once) {
  auto spec = job(2);
  spec.retries = 5;
  backend::FakeTask missing;
  missing.start_error = "could not start: there is no ./train";
  missing.start_error_permanent = true;
  make(spec, {{"worker:0", missing}}, never_ends());
  const auto outcome = run();
  EXPECT_EQ(outcome.state, job::JobState::failed);
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.reason, HasSubstr("there is no ./train"));
  EXPECT_THAT(events(), Not(Contains("task_retry worker:0#1")));
}

TEST_F(MasterTest, a_task_that_cannot_be_placed_fails_the_job_with_the_reason) {
  backend::FakeTask nowhere;
  nowhere.cannot_place = "no host has 8 GPUs";
  make(job(2), {{"worker:1", nowhere}}, never_ends());
  const auto outcome = run();
  EXPECT_EQ(outcome.state, job::JobState::failed);
  EXPECT_THAT(outcome.reason, HasSubstr("no host has 8 GPUs"));
  EXPECT_THAT(events(), Not(Contains("task_running worker:0#1"))) << "no task starts before all are placed";
}

TEST_F(MasterTest, a_gang_that_is_not_placed_in_time_is_released) {
  auto spec = job(2);
  spec.allocation_timeout = core::Millis(5);
  backend::FakeTask slow;
  slow.place_after = core::Seconds(600);
  make_with(spec, [&](backend::Sink sink) {
    auto fake = std::make_unique<backend::FakeBackend>(loop_.executor(), std::move(sink), Script{{"worker:1", slow}});
    fake_ = fake.get();
    return fake;
  });
  begin();
  ASSERT_TRUE(loop_.until([&] { return view().state == job::JobState::restarting; })) << view().state.name();
  EXPECT_EQ(fake_->places_held(), 0U);
  EXPECT_THAT(events(), Contains("job_restarting"));
  master_->request_stop("ann", std::nullopt);
  EXPECT_EQ(finish().state, job::JobState::stopped);
}

TEST_F(MasterTest, a_stop_ends_everything_and_names_the_user) {
  make(job(3), {}, never_ends());
  begin_and_run();
  EXPECT_EQ(state_on_disk().state, job::JobState::running);
  master_->request_stop("ann at edge1", std::nullopt);
  const auto outcome = finish();
  EXPECT_EQ(outcome.state, job::JobState::stopped);
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(outcome.reason, "stopped by ann at edge1");
  EXPECT_THAT(events(), Contains("task_stopped worker:2#1"));
  EXPECT_EQ(events().back(), "job_stopped");
}

TEST_F(MasterTest, a_second_stop_shortens_the_grace) {
  auto stubborn = never_ends();
  stubborn.ignores_stop = true;
  auto spec = job(1);
  spec.stop_grace = core::Seconds(600);
  make(spec, {}, stubborn);
  begin_and_run();
  master_->request_stop("ann", std::nullopt);
  loop_.settle();
  EXPECT_EQ(view().state, job::JobState::stopping);
  master_->request_stop("ann", core::Millis(0));
  EXPECT_EQ(finish().state, job::JobState::stopped);
}

TEST_F(MasterTest, a_stop_before_anything_is_placed_ends_the_job) {
  backend::FakeTask slow;
  slow.place_after = core::Seconds(600);
  make(job(2), {}, slow);
  begin();
  loop_.settle();
  master_->request_stop("ann", std::nullopt);
  EXPECT_EQ(finish().state, job::JobState::stopped);
}

TEST_F(MasterTest, a_stop_that_comes_before_the_job_begins_is_not_forgotten) {
  make(job(1));
  master_->request_stop("because its master received signal 15", std::nullopt);
  EXPECT_EQ(run().state, job::JobState::stopped);
  EXPECT_EQ(events().back(), "job_stopped");
}

TEST_F(MasterTest, a_stop_after_the_end_changes_nothing) {
  make(job(1));
  EXPECT_EQ(run().state, job::JobState::succeeded);
  const auto told = events();
  master_->request_stop("ann", std::nullopt);
  loop_.settle();
  EXPECT_EQ(events(), told);
  EXPECT_EQ(view().state, job::JobState::succeeded);
  EXPECT_EQ(state_on_disk().state, job::JobState::succeeded);
}

TEST_F(MasterTest, the_whole_job_has_a_time_limit) {
  auto spec = job(1);
  spec.run_timeout = core::Millis(20);
  make(spec, {}, never_ends());
  const auto outcome = run();
  EXPECT_EQ(outcome.state, job::JobState::failed);
  EXPECT_NE(outcome.exit_code, 0);
}

TEST_F(MasterTest, what_a_task_says_is_in_the_view_and_belongs_to_its_attempt) {
  auto spec = job(1);
  spec.retries = 1;
  auto talks = exits(3);
  talks.says = "epoch 3";
  make(spec, {{"worker:0#1", talks}}, never_ends());
  begin();
  ASSERT_TRUE(loop_.until([&] { return view().tasks[0].last_line == "epoch 3"; }));
  ASSERT_TRUE(loop_.until([&] { return view().tasks[0].attempt == 2; }));
  EXPECT_EQ(view().tasks[0].last_line, "") << "the first attempt's words are not the second's";
  master_->request_stop("ann", std::nullopt);
  finish();
}

TEST_F(MasterTest, a_backend_that_cannot_open_fails_the_job_and_leaves_a_trace) {
  class Broken final : public backend::Backend {
   public:
    explicit Broken(std::vector<std::string>& closed) : closed_(closed) {}
    net::Async<> open() override { co_return core::fail(core::Errc::io, "the agent cannot start"); }
    void place(backend::TaskRequest) override { ADD_FAILURE(); }
    void launch(protocol::Launch) override { ADD_FAILURE(); }
    void pass(protocol::Notice /*notice*/) override {}
    void stop(protocol::Stop) override {}
    void release(const core::AttemptId&) override {}
    net::awaitable<void> close(const job::Outcome& outcome) override {
      closed_.push_back(outcome.reason);
      co_return;
    }
    std::vector<std::string>& closed_;
  };
  std::vector<std::string> closed;
  make_with(job(1), [&](backend::Sink) { return std::make_unique<Broken>(closed); });
  const auto outcome = run();
  EXPECT_THAT(closed, ElementsAre("the agent cannot start")) << "its records are copied when it is closed";
  EXPECT_EQ(outcome.state, job::JobState::failed);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(events(), ElementsAre("job_failed"));
  EXPECT_TRUE(master_->finished()) << "followers must learn that the job has ended";
  EXPECT_EQ(view().state, job::JobState::failed);
  EXPECT_EQ(state_on_disk().state, job::JobState::failed);
  EXPECT_EQ(state_on_disk().reason, "the agent cannot start");
}

TEST_F(MasterTest, a_backend_can_ask_how_much_of_the_job_is_done) {
  Spy* spy = nullptr;
  auto spec = job(2);
  spec.roles[0].name = "chief";  // these run until they are stopped
  spec.roles[0].count = 1;
  make_with(spec, [&](backend::Sink sink) {
    auto made = std::make_unique<Spy>(std::move(sink));
    spy = made.get();
    return made;
  });
  begin_and_run();
  EXPECT_DOUBLE_EQ(spy->sink.progress(), 0);
  spy->sink.output({{{"chief", 0}, 1}, "epoch 3", 0.5, "3/6"});
  EXPECT_DOUBLE_EQ(spy->sink.progress(), 0.5);
}

// For a job of thousands of tasks the list of all is a megabyte.
TEST_F(MasterTest, tasks_that_start_again_together_share_the_list_of_all_tasks) {
  Spy* spy = nullptr;
  auto spec = job(1);
  spec.roles[0].name = "chief";  // runs until it is stopped
  spec.roles[0].count = 3;
  spec.retries = 2;
  make_with(spec, [&](backend::Sink sink) {
    auto made = std::make_unique<Spy>(std::move(sink));
    spy = made.get();
    return made;
  });
  begin_and_run();
  ASSERT_EQ(spy->launches.size(), 3U);
  spy->sink.event(job::Lost{{{"chief", 0}, 1}, "preempted", job::Cause::preempted});
  spy->sink.event(job::Lost{{{"chief", 1}, 1}, "preempted", job::Cause::preempted});
  ASSERT_TRUE(loop_.until([&] { return spy->launches.size() == 5; }));
  EXPECT_NE(spy->launches[3].gang, spy->launches[0].gang);
  EXPECT_EQ(spy->launches[3].gang, spy->launches[4].gang);
  EXPECT_EQ(spy->launches[3].gang_text, spy->launches[4].gang_text);
}

TEST_F(MasterTest, a_task_that_is_stopped_before_it_starts_again_is_started_first) {
  Spy* spy = nullptr;
  auto spec = job(1);
  spec.roles[0].name = "chief";
  spec.retries = 1;
  make_with(spec, [&](backend::Sink sink) {
    auto made = std::make_unique<Spy>(std::move(sink));
    spy = made.get();
    return made;
  });
  begin_and_run();
  spy->sink.event(job::Lost{{{"chief", 0}, 1}, "preempted", job::Cause::preempted});
  master_->request_stop("ann", std::nullopt);
  EXPECT_EQ(spy->launches.size(), 2U) << "an agent does not answer to the stop of a task that it has not started";
  EXPECT_EQ(finish().state, job::JobState::stopped);
}

TEST_F(MasterTest, hosts_that_are_avoided_are_in_the_view_and_the_backend_is_told) {
  cluster_ = core::ClusterKind::yarn;
  Spy* spy = nullptr;
  auto spec = job(1);
  spec.roles[0].name = "chief";
  spec.blacklist.failures = 1;
  make_with(spec, [&](backend::Sink sink) {
    auto made = std::make_unique<Spy>(std::move(sink));
    spy = made.get();
    return made;
  });
  begin_and_run();
  spy->sink.event(job::Lost{{{"chief", 0}, 1}, "its host is gone", job::Cause::host_lost});
  EXPECT_EQ(spy->avoided, std::vector<std::string>{"n1"});
  EXPECT_EQ(spy->requests.back().not_on, std::set<std::string>{"n1"});
  const auto seen = view();
  ASSERT_EQ(seen.avoided.size(), 1U);
  EXPECT_EQ(seen.avoided[0].node, "n1");
  EXPECT_EQ(seen.avoided[0].reason, "1 container lost");
  EXPECT_TRUE(seen.avoided[0].until);
  master_->request_stop("ann", std::nullopt);
  EXPECT_EQ(finish().state, job::JobState::stopped);
}

TEST_F(MasterTest, evaluators_finish_after_the_deciders) {
  auto spec = job(1);
  spec.roles.resize(2);
  spec.roles[1].name = "evaluator";
  backend::FakeTask slow;
  slow.run_for = core::Millis(10);
  make(spec, {{"evaluator:0", slow}});
  EXPECT_EQ(run().state, job::JobState::succeeded);
  EXPECT_THAT(events(), Contains("task_succeeded evaluator:0#1"));
}

TEST_F(MasterTest, services_are_stopped_when_the_deciders_are_done) {
  auto spec = job(1);
  spec.roles.resize(2);
  spec.roles[1].name = "ps";
  make(spec, {{"ps:0", never_ends()}});
  EXPECT_EQ(run().state, job::JobState::succeeded);
  EXPECT_THAT(events(), Contains("task_stopped ps:0#1"));
}

TEST_F(MasterTest, tasks_are_told_where_their_peers_are) {
  auto spec = job(2);
  spec.env = {{"A", "job"}, {"YDL_INDEX", "mine"}};
  Spy* spy = nullptr;
  make_with(spec, [&](backend::Sink sink) {
    auto made = std::make_unique<Spy>(std::move(sink));
    spy = made.get();
    return made;
  });
  EXPECT_EQ(run().state, job::JobState::succeeded) << "a backend may answer while it is being told what to do";
  ASSERT_EQ(spy->requests.size(), 2U);
  ASSERT_EQ(spy->launches.size(), 2U);
  EXPECT_EQ(spy->requests[1].memory, 0U) << "a default limits nothing on this machine";
  const auto& env = spy->launches[1].env;
  EXPECT_EQ(env.at("YDL_JOB_ID"), folder_.id().str());
  EXPECT_EQ(env.at("YDL_ROLE"), "worker");
  EXPECT_EQ(env.at("YDL_PORTS"), "7002");
  EXPECT_EQ(env.at("YDL_ATTEMPT"), "1");
  EXPECT_EQ(env.at("A"), "job");
  EXPECT_EQ(env.at("YDL_INDEX"), "mine") << "the value of the user wins";
  ASSERT_NE(spy->launches[1].gang, nullptr);
  EXPECT_THAT(spy->launches[1].gang->tasks, HasSubstr("7001"));
  EXPECT_EQ(spy->launches[0].gang, spy->launches[1].gang) << "what grows with the gang is kept for each task";
  EXPECT_EQ(spy->launches[0].gang_text, spy->launches[1].gang_text);
}

TEST_F(MasterTest, a_variable_of_the_user_is_not_continued) {
  auto spec = job(2);
  spec.framework = "tensorflow";
  spec.roles[0].env = {{"TF_CONFIG", "{}"}};
  Spy* spy = nullptr;
  make_with(spec, [&](backend::Sink sink) {
    auto made = std::make_unique<Spy>(std::move(sink));
    spy = made.get();
    return made;
  });
  EXPECT_EQ(run().state, job::JobState::succeeded);
  ASSERT_EQ(spy->launches.size(), 2U);
  EXPECT_EQ(spy->launches[0].env.at("TF_CONFIG"), "{}");
  EXPECT_TRUE(spy->launches[0].continued.empty());
}

TEST_F(MasterTest, two_thousand_tasks_start_together_and_end) {
  make(job(2'000));
  EXPECT_EQ(run().state, job::JobState::succeeded);
  const auto kinds = events();
  EXPECT_EQ(std::ranges::count_if(kinds, [](const auto& kind) { return kind.starts_with("task_running"); }), 2'000);
  EXPECT_EQ(std::ranges::count_if(kinds, [](const auto& kind) { return kind.starts_with("task_succeeded"); }), 2'000);
}

TEST_F(MasterTest, records_that_cannot_be_written_are_blamed_on_the_disk_only_where_it_is_full) {
  make(job(1), {}, never_ends());
  begin_and_run();
  std::filesystem::remove_all(folder_.root());
  master_->write_view();
  const auto last = master_->journal().line(master_->journal().last());
  EXPECT_THAT(last, HasSubstr("the job continues"));
  EXPECT_THAT(last, Not(HasSubstr("free space")));
  EXPECT_THAT(std::string(remedy_for({ENOSPC, std::generic_category()})), HasSubstr("free space"));
  EXPECT_THAT(std::string(remedy_for({EMFILE, std::generic_category()})), HasSubstr("ulimit"));
}

TEST_F(MasterTest, mxnet_tasks_are_told_of_the_scheduler_at_the_first_server_and_it_of_them) {
  auto spec = job(1);
  spec.framework = "mxnet";
  spec.roles.resize(2);
  spec.roles[1].name = "server";
  Spy* spy = nullptr;
  make_with(spec, [&](backend::Sink sink) {
    auto made = std::make_unique<Spy>(std::move(sink));
    spy = made.get();
    return made;
  });
  EXPECT_EQ(run().state, job::JobState::succeeded);
  ASSERT_EQ(spy->launches.size(), 2U);
  const auto& worker = spy->launches[0].env;
  const auto& server = spy->launches[1].env;
  EXPECT_EQ(worker.at("DMLC_ROLE"), "worker");
  EXPECT_EQ(server.at("DMLC_ROLE"), "server");
  for (const auto* env : {&worker, &server}) {
    EXPECT_EQ(env->at("DMLC_PS_ROOT_URI"), "10.0.0.1");
    EXPECT_EQ(env->at("DMLC_PS_ROOT_PORT"), "9000");
  }
  EXPECT_EQ(server.at("YDL_PORTS"), server.at("PORT")) << "the scheduler's port is not the task's";
  ASSERT_GE(spy->notices.size(), 2U);
  EXPECT_EQ(spy->launches_at_notice[0], 0U) << "they are expected before they start";
  const auto& expected = std::get<protocol::SchedulerExpect>(spy->notices[0]);
  EXPECT_EQ(expected.attempt, (core::AttemptId{{"server", 0}, 1}));
  EXPECT_EQ(expected.host, "10.0.0.1");
  EXPECT_EQ(expected.nodes.size(), 2U);
  const auto& ended = std::get<protocol::SchedulerEnded>(spy->notices[1]);
  EXPECT_EQ(ended.node, (core::AttemptId{{"worker", 0}, 1}));
  EXPECT_EQ(ended.next, job::MemberEnded::Next::left);
}

}  // namespace
}  // namespace ydl::master
