// Whole jobs in one process and simulated time: the state machines of master, backend and agents against a model of
// YARN, HDFS and the network whose faults are drawn from a seed.
//   YDL_CHAOS_SEEDS=10000   so many seeds
//   YDL_CHAOS_FIRST=5001    from this one on
//   YDL_CHAOS_FAILURES=1    until so many have failed
//   YDL_CHAOS_SEED=17       this one, with all its steps
//   YDL_CHAOS_WITHOUT=k3,8  of it, faults that are left out (without.hpp)
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

bool still_breaks(std::uint64_t seed, const Without& without) {
  return !run_story(seed, Trace::none, without).violation.empty();
}

// Leaves out as many faults as it can while a promise stays broken: whole kinds, the end of the story, and then single
// ones, in smaller and smaller groups.
Without without_needless_faults(std::uint64_t seed) {
  Without without;
  for (unsigned kind = 0; kind < kFaultKinds; ++kind) {
    auto fewer = without;
    fewer.kinds |= 1U << kind;
    if (still_breaks(seed, fewer)) without = fewer;
  }
  const int all = run_story(seed, Trace::none, without).faults;
  for (int most = 0; most <= all; most = std::max(most + 1, most * 5 / 4)) {
    auto fewer = without;
    fewer.from = most + 1;
    if (!still_breaks(seed, fewer)) continue;
    without = fewer;
    break;
  }
  const int left = std::min(all, without.from - 1);
  for (int group = std::max(1, left / 2);; group /= 2) {
    for (int first = left; first > 0; first -= group) {
      auto fewer = without;
      for (int fault = first; fault > std::max(0, first - group); --fault) fewer.faults.insert(fault);
      if (still_breaks(seed, fewer)) without = fewer;
    }
    if (group == 1) return without;
  }
}

std::string report(std::uint64_t seed) {
  const auto without = without_needless_faults(seed);
  const auto story = run_story(seed, Trace::last_steps, without);
  return fmt::format("seed {}: {}\n{}\n{}All steps: YDL_CHAOS_SEED={} YDL_CHAOS_WITHOUT={}\n", seed, story.violation,
                     story.settings, story.trace, seed, without.str());
}

TEST(Chaos, no_rank_runs_twice_and_every_job_ends) {
  if (const auto only = from_environment("YDL_CHAOS_SEED", 0); only != 0) {
    const char* left_out = std::getenv("YDL_CHAOS_WITHOUT");
    const auto without = Without::parse(left_out == nullptr ? "" : left_out);
    ASSERT_TRUE(without) << "YDL_CHAOS_WITHOUT is not understood";
    const auto story = run_story(only, Trace::all, *without);
    fmt::print("{}\n{}{}\n", story.settings, story.trace, story.violation);
    EXPECT_EQ(story.violation, "");
    return;
  }
  const auto seeds = from_environment("YDL_CHAOS_SEEDS", 100);
  const auto first = from_environment("YDL_CHAOS_FIRST", 1);
  const auto most_failures = from_environment("YDL_CHAOS_FAILURES", 3);
  std::int64_t processes = 0;
  std::int64_t masters = 0;
  std::int64_t seconds = 0;
  std::uint64_t steps = 0;
  std::uint64_t failures = 0;
  for (auto seed = first; seed < first + seeds; ++seed) {
    const auto story = run_story(seed);
    processes += story.processes;
    masters += story.masters;
    seconds += story.simulated_seconds;
    steps += story.steps;
    if (story.violation.empty()) continue;
    ADD_FAILURE() << report(seed);
    if (++failures == most_failures) break;
  }
  fmt::print("{} seeds: {} processes, {} masters, {} steps, {} simulated seconds\n", seeds, processes, masters, steps,
             seconds);
  // A simulation in which nothing happens proves nothing.
  EXPECT_GT(processes, static_cast<std::int64_t>(seeds));
  EXPECT_GT(masters, static_cast<std::int64_t>(seeds));
}

}  // namespace
}  // namespace ydl::chaos
