#pragma once

#include "without.hpp"

#include <cstdint>
#include <string>

namespace ydl::chaos {

struct Story {
  std::string violation;  // empty: all promises were kept
  std::string trace;      // the last steps, where they were wanted
  std::string settings;   // job, cluster and faults
  int processes = 0;      // of tasks, that were started
  int masters = 0;
  int faults = 0;
  std::uint64_t steps = 0;
  std::int64_t simulated_seconds = 0;
};

enum class Trace { none, last_steps, all };

// One complete job, on a cluster whose faults are drawn from the seed.
[[nodiscard]] Story run_story(std::uint64_t seed, Trace trace = Trace::none, const Without& without = {});

inline constexpr int kFaultKinds = 24;

}  // namespace ydl::chaos
