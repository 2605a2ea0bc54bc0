// Whole jobs in one process and simulated time: the state machines of master, backend and agents against a model of
// YARN, HDFS and the network whose faults are drawn from a seed.
//   YDL_CHAOS_SEEDS=10000   so many seeds
//   YDL_CHAOS_SEED=17       this one, with all its steps
#include "core/strings.hpp"
#include "world.hpp"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace ydl::chaos {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : core::parse_int<std::uint64_t>(value).value_or(otherwise);
}

// Leaves out one kind of fault after the other, as long as a promise stays broken.
std::uint32_t without_needless_faults(std::uint64_t seed) {
  std::uint32_t without = 0;
  for (int kind = 0; kind < kFaultKinds; ++kind) {
    const auto fewer = without | (1U << static_cast<unsigned>(kind));
    if (!run_story(seed, Trace::none, fewer).violation.empty()) without = fewer;
  }
  return without;
}

std::string report(std::uint64_t seed) {
  const auto without = without_needless_faults(seed);
  const auto story = run_story(seed, Trace::last_steps, without);
  return fmt::format("seed {}: {}\n{}\n{}", seed, story.violation, story.settings, story.trace);
}

TEST(Chaos, no_rank_runs_twice_and_every_job_ends) {
  if (const auto only = from_environment("YDL_CHAOS_SEED", 0); only != 0) {
    const auto story =
        run_story(only, Trace::all, static_cast<std::uint32_t>(from_environment("YDL_CHAOS_WITHOUT", 0)));
    fmt::print("{}\n{}{}\n", story.settings, story.trace, story.violation);
    EXPECT_EQ(story.violation, "");
    return;
  }
  const auto seeds = from_environment("YDL_CHAOS_SEEDS", 250);
  const auto first = from_environment("YDL_CHAOS_FIRST", 1);
  std::int64_t processes = 0;
  std::int64_t masters = 0;
  std::int64_t seconds = 0;
  std::uint64_t steps = 0;
  int failures = 0;
  for (auto seed = first; seed < first + seeds; ++seed) {
    const auto story = run_story(seed);
    processes += story.processes;
    masters += story.masters;
    seconds += story.simulated_seconds;
    steps += story.steps;
    if (story.violation.empty()) continue;
    ADD_FAILURE() << report(seed);
    if (++failures == 5) break;
  }
  fmt::print("{} seeds: {} processes, {} masters, {} steps, {} simulated seconds\n", seeds, processes, masters, steps,
             seconds);
  // A simulation in which nothing happens proves nothing.
  EXPECT_GT(processes, static_cast<std::int64_t>(seeds));
  EXPECT_GT(masters, static_cast<std::int64_t>(seeds));
}

}  // namespace
}  // namespace ydl::chaos
