#pragma once

#include "agent/resources/cgroup.hpp"
#include "agent/resources/usage_news.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace ydl::agent {

// What the kernel has counted for the processes of a task.
struct UsageCount {
  std::optional<std::uint64_t> cpu_us = {};  // that they have run, since their start
  std::optional<std::uint64_t> memory_bytes = {};
};

// Where a task's processes are found.
struct UsageSource {
  core::AttemptId attempt;
  core::Instant began{};                  // when they started
  pid_t reaper = 0;                       // the parent of them all
  std::optional<TaskCgroup> cgroup = {};  // where the task has one
};

// Of the task's cgroup: the memory is what cannot be freed at once, without the file cache that is not in use. Without
// a cgroup, the sum over its process tree: memory that several processes share counts for each of them.
// Reads files of the kernel, which can take a while on a busy host: not for the agent's loop.
[[nodiscard]] UsageCount count_usage(const UsageSource& source);

// The processes below `root`; its own memory does not count, the time of its children that have ended does.
[[nodiscard]] UsageCount count_process_tree(pid_t root);

// What one line of /proc/PID/stat counts.
struct StatCount {
  std::uint64_t cpu_ticks = 0;  // of the process and of its children that have ended
  std::uint64_t memory_pages = 0;
};
[[nodiscard]] std::optional<StatCount> parse_stat_count(std::string_view text);

// Makes counts into what is used now. Pure.
class UsageRates {
 public:
  // At the first look the rate is that since the start.
  [[nodiscard]] Usage rate(const UsageSource& source, const UsageCount& count, core::Instant now);
  // Forgets all attempts but these.
  void keep(const std::vector<UsageSource>& sources);

 private:
  struct Look {
    std::uint64_t cpu_us = 0;
    core::Instant at;
  };
  std::map<core::AttemptId, Look> last_;
};

}  // namespace ydl::agent
