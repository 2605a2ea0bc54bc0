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

// Where to look for cgroups. It is an argument, so that a test can use a tree of ordinary files.
struct CgroupView {
  std::filesystem::path root = "/sys/fs/cgroup";
  std::string own;  // the content of /proc/self/cgroup
  pid_t pid = 0;    // this process

  [[nodiscard]] static CgroupView of_this_process();
};

struct CgroupLimits {
  std::optional<std::uint64_t> memory_bytes;
  std::optional<int> vcores;
};

enum class CgroupVersion { v1, v2 };

// The cgroup of one task. It is created before the launch, entered by the task, and removed after the task has ended.
class TaskCgroup {
 public:
  // For LaunchRequest::cgroups.
  [[nodiscard]] const std::vector<std::filesystem::path>& directories() const { return directories_; }

  // Whether the kernel killed a process of the task because its memory limit was reached.
  [[nodiscard]] bool oom_killed() const;
  // The peak memory of all processes of the task together. Not every kernel reports it.
  [[nodiscard]] std::optional<std::uint64_t> peak_memory() const;
  // What its processes use now: their CPU time, and their memory without file cache that is not in use. Nothing if the
  // kernel does not count it.
  [[nodiscard]] std::optional<std::uint64_t> cpu_us() const;
  [[nodiscard]] std::optional<std::uint64_t> memory_in_use() const;
  // Returns true when it is removed. The kernel refuses while a process in it is still ending: try again a little
  // later.
  [[nodiscard]] bool remove();

 private:
  friend class Cgroups;
  CgroupVersion version_ = CgroupVersion::v2;
  std::filesystem::path memory_;  // empty if memory is not limited
  std::vector<std::filesystem::path> directories_;
};

// Which limits can be set on this machine. In version 2 this uses the innermost cgroup around this process in which it
// may create children, in version 1 the process's own cgroup of each controller. So limits that apply to this process
// also apply to its tasks.
class Cgroups {
 public:
  [[nodiscard]] static Cgroups detect(const CgroupView& view = CgroupView::of_this_process());

  [[nodiscard]] bool limits_memory() const { return !memory_base_.empty(); }
  [[nodiscard]] bool limits_cpu() const { return !cpu_base_.empty(); }
  // A sentence for users: what cannot be limited, why, and what to do. "" if everything can be limited.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  // Creates a cgroup for one task with those of `limits` that can be set here. Errors: no limit can be set here, or the
  // system refused; then no cgroup is left.
  [[nodiscard]] core::Result<TaskCgroup> create(const std::string& name, const CgroupLimits& limits);

  // "ydl-JOB-worker-0-1".
  [[nodiscard]] static std::string name_for(const std::string& job, const std::string& task, int attempt);
  // Removes empty cgroups with such names that ended agents have left, if they are older than `age`, and returns their
  // number. A younger one may still be waiting for its task.
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
