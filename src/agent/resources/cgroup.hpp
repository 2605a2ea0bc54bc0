#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ydl::agent {

// Where cgroups are looked for; an argument, so that a test can show a tree of plain files.
struct CgroupView {
  std::filesystem::path root = "/sys/fs/cgroup";
  std::string own;  // the text of /proc/self/cgroup
  pid_t pid = 0;    // this process

  [[nodiscard]] static CgroupView of_this_process();
};

struct CgroupLimits {
  std::optional<std::uint64_t> memory_bytes;
  std::optional<int> vcores;
};

enum class CgroupVersion { v1, v2 };

// The cgroup of one task: made before its launch, entered by it, removed after its end.
class TaskCgroup {
 public:
  // For LaunchRequest::cgroups.
  [[nodiscard]] const std::vector<std::filesystem::path>& directories() const { return directories_; }

  // Whether the kernel killed a process of the task because its memory limit was reached.
  [[nodiscard]] bool oom_killed() const;
  // The most memory all processes of the task had together; not every kernel tells.
  [[nodiscard]] std::optional<std::uint64_t> peak_memory() const;
  // What its processes use now: the time they have run, and the memory without the file cache that is not in use.
  // Nothing where the kernel does not count it.
  [[nodiscard]] std::optional<std::uint64_t> cpu_us() const;
  [[nodiscard]] std::optional<std::uint64_t> memory_in_use() const;
  // True when it is gone. The kernel refuses while a dying process is still in it: try again a little later.
  [[nodiscard]] bool remove();

 private:
  friend class Cgroups;
  CgroupVersion version_ = CgroupVersion::v2;
  std::filesystem::path memory_;  // empty when memory is not limited
  std::vector<std::filesystem::path> directories_;
};

// What this machine lets us limit. Version 2 takes the deepest cgroup around this process in which we may make
// children, version 1 the process's own one of each controller: so a limit set around us stays in force.
class Cgroups {
 public:
  [[nodiscard]] static Cgroups detect(const CgroupView& view = CgroupView::of_this_process());

  [[nodiscard]] bool limits_memory() const { return !memory_base_.empty(); }
  [[nodiscard]] bool limits_cpu() const { return !cpu_base_.empty(); }
  // A sentence for people that tells what cannot be limited, why, and what to do; "" when everything can.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  // A cgroup for one task with those of `limits` that can be set here. Errors: nothing can be set here at all, or the
  // system refused; then nothing is left behind.
  [[nodiscard]] core::Result<TaskCgroup> create(const std::string& name, const CgroupLimits& limits);

  // "ydl-JOB-worker-0-1".
  [[nodiscard]] static std::string name_for(const std::string& job, const std::string& task, int attempt);
  // Removes empty cgroups of that form that dead agents left, once they are older than `age`; returns how many. A
  // younger one may be about to get its task.
  int remove_leftovers(core::WallTime now, core::Millis age) const;

 private:
  void detect_v1(const CgroupView& view);
  void detect_v2(const CgroupView& view);
  [[nodiscard]] core::Result<void> enable_controllers();
  [[nodiscard]] std::vector<std::filesystem::path> bases() const;

  CgroupVersion version_ = CgroupVersion::v2;
  pid_t pid_ = 0;
  std::filesystem::path memory_base_;
  std::filesystem::path cpu_base_;
  std::string why_not_;
};

}  // namespace ydl::agent
