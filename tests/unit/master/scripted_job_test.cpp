// Whole jobs through the real master, with the fake backend instead of processes (docs/fake-backend.md).
#include "backend/fake/fake.hpp"
#include "master/master.hpp"
#include "support/temp_dir.hpp"

#include <algorithm>
#include <gtest/gtest.h>

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

struct Ending {
  job::Outcome outcome;
  std::vector<std::string> kinds;  // of the job's records, in order
  std::size_t places_held = 0;     // afterwards
};

Ending run_scripted(const spec::JobSpec& spec, const FakeBackend::Script& script) {
  const test::TempDir temporary;
  net::asio::io_context context(1);
  JobFile job;
  job.id = {"scripted-0001"};
  job.results = temporary.path() / "results";
  job.spec = spec;
  const FakeBackend* backend = nullptr;
  Master master(context.get_executor(), JobFolder(temporary.path()), job, *make_plan(spec), [&](backend::Sink sink) {
    auto fake = std::make_unique<FakeBackend>(context.get_executor(), std::move(sink), script);
    backend = fake.get();
    return fake;
  });
  Ending ending;
  net::asio::co_spawn(context, master.run(), [&](std::exception_ptr, job::Outcome outcome) {
    ending.outcome = std::move(outcome);
    ending.places_held = backend->places_held();
    context.stop();
  });
  context.run();
  for (const auto& line : master.journal().after(0)) {
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
  EXPECT_EQ(ending.outcome.cause->task.str(), "worker:1");
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
  EXPECT_EQ(ending.outcome.reason, "worker:1 has no place: no host has 8 GPUs");
  EXPECT_EQ(count(ending, "task_starting"), 0);
}

TEST(ScriptedJob, a_lost_node_is_a_failure_of_its_task) {
  const auto ending = run_scripted(
      two_workers(),
      {{"worker:0", {.never_ends = true}}, {"worker:1", {.never_ends = true, .lose_node_after = core::Millis(1)}}});
  EXPECT_EQ(ending.outcome.state, job::JobState::failed);
  EXPECT_EQ(ending.outcome.cause->task.str(), "worker:1");
  EXPECT_EQ(count(ending, "task_lost"), 1);
}

}  // namespace
}  // namespace ydl::master
