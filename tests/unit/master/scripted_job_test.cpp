// Whole jobs through the real master, with the fake backend instead of processes (docs/fake-backend.md).
#include "backend/fake/fake.hpp"
#include "master/api.hpp"
#include "master/master.hpp"
#include "protocol/hub.hpp"
#include "support/temp_dir.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include <boost/asio/detached.hpp>

namespace ydl::master {
namespace {

using backend::FakeBackend;
using backend::FakeTask;

spec::JobSpec two_workers() {
  spec::JobSpec spec;
  spec.name = "scripted";
  spec.command = {"train"};
  spec.roles.resize(1);
  spec.roles[0].name = "worker";
  spec.roles[0].count = 2;
  return spec;
}

// A master on the fake backend, in a folder of its own.
struct ScriptedMaster {
  ScriptedMaster(const spec::JobSpec& spec, const FakeBackend::Script& script)
      : master(context.get_executor(), jobs::JobFolder(temporary.path()), job_of(spec), *make_plan(spec),
               MasterSettings{.make_backend = [&](backend::Sink sink) {
                 auto made = std::make_unique<FakeBackend>(context.get_executor(), std::move(sink), script);
                 fake = made.get();
                 return made;
               }}) {}

  jobs::JobFile job_of(const spec::JobSpec& spec) const {
    jobs::JobFile job;
    job.id = {"scripted-0001"};
    job.results = temporary.path() / "results";
    job.spec = spec;
    return job;
  }

  // Runs the job to completion. Other spawned coroutines continue in finish_others().
  void run() {
    net::asio::co_spawn(context, master.run(), [&](std::exception_ptr, job::Outcome result) {
      outcome = std::move(result);
      context.stop();
    });
    context.run();
  }
  void finish_others() {
    context.restart();
    context.run();
  }

  test::TempDir temporary;
  net::asio::io_context context{1};
  const FakeBackend* fake = nullptr;
  Master master;
  job::Outcome outcome;
};

struct Ending {
  job::Outcome outcome;
  std::vector<std::string> kinds;  // of the job's records, in order
  std::size_t places_held = 0;     // afterwards
};

Ending run_scripted(const spec::JobSpec& spec, const FakeBackend::Script& script) {
  ScriptedMaster scripted(spec, script);
  scripted.run();
  Ending ending{scripted.outcome, {}, scripted.fake->places_held()};
  const auto& journal = scripted.master.journal();
  for (std::uint64_t seq = 1; seq <= journal.last(); ++seq) {
    const auto& line = journal.line(seq);
    const auto start = line.find("\"kind\":\"") + 8;
    ending.kinds.push_back(line.substr(start, line.find('"', start) - start));
  }
  return ending;
}

int count(const Ending& ending, std::string_view kind) {
  return static_cast<int>(std::ranges::count(ending.kinds, kind));
}

TEST(ScriptedJob, one_failing_worker_fails_the_job_with_its_code_and_stops_the_other) {
  const auto ending = run_scripted(two_workers(), {{"worker:0", {.never_ends = true}}, {"worker:1", {.exit_code = 3}}});
  EXPECT_EQ(ending.outcome.state, job::JobState::failed);
  EXPECT_EQ(ending.outcome.exit_code, 3);
  EXPECT_EQ(ending.outcome.first_failure->task.str(), "worker:1");
  EXPECT_EQ(count(ending, "task_stopped"), 1);
  EXPECT_EQ(ending.places_held, 0U);
}

TEST(ScriptedJob, a_retry_that_works_saves_the_job) {
  auto spec = two_workers();
  spec.retries = 1;
  const auto ending = run_scripted(spec, {{"worker:1", {.exit_code = 3}}, {"worker:1#2", {.exit_code = 0}}});
  EXPECT_EQ(ending.outcome.state, job::JobState::succeeded);
  EXPECT_EQ(count(ending, "task_retry"), 1);
  EXPECT_EQ(ending.places_held, 0U);
}

TEST(ScriptedJob, a_task_that_cannot_be_placed_fails_the_job_before_anything_starts) {
  const auto ending = run_scripted(two_workers(), {{"worker:1", {.cannot_place = "no host has 8 GPUs"}}});
  EXPECT_EQ(ending.outcome.state, job::JobState::failed);
  EXPECT_EQ(ending.outcome.reason, "worker:1 cannot be placed: no host has 8 GPUs");
  EXPECT_EQ(count(ending, "task_starting"), 0);
}

TEST(ScriptedJob, a_lost_node_is_a_failure_of_its_task) {
  const auto ending = run_scripted(
      two_workers(),
      {{"worker:0", {.never_ends = true}}, {"worker:1", {.never_ends = true, .lose_node_after = core::Millis(1)}}});
  EXPECT_EQ(ending.outcome.state, job::JobState::failed);
  EXPECT_EQ(ending.outcome.first_failure->task.str(), "worker:1");
  EXPECT_EQ(count(ending, "task_failed"), 1);
  EXPECT_EQ(count(ending, "task_lost"), 0) << "one line for one misfortune";
}

// Takes so long over each event that the job ends meanwhile.
class SlowReader final : public http::EventStream {
 public:
  net::awaitable<bool> send(std::string_view id, std::string_view) override {
    co_await net::pause(core::Millis(2));
    last_id = id;
    co_return true;
  }
  std::string last_id;
  net::awaitable<bool> keep_alive() override { co_return true; }
};

net::awaitable<void> follow(const http::Router& api, SlowReader& reader) {
  http::Request request;
  request.wants_event_stream = true;
  const auto response = co_await (*api.match("GET", "/v1/events")->handler)(std::move(request));
  co_await response.stream(reader);
}

TEST(ScriptedJob, a_slow_follower_gets_every_event_to_the_last) {
  ScriptedMaster scripted(two_workers(), {});
  protocol::Hub hub(scripted.context.get_executor());
  const auto api = make_api(scripted.master, hub);
  SlowReader reader;
  net::asio::co_spawn(scripted.context, follow(api, reader), net::asio::detached);
  scripted.run();
  scripted.finish_others();
  EXPECT_EQ(scripted.outcome.state, job::JobState::succeeded);
  EXPECT_EQ(reader.last_id, std::to_string(scripted.master.journal().last()));
}

}  // namespace
}  // namespace ydl::master
