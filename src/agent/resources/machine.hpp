#pragma once

#include "agent/files/gang_file.hpp"
#include "agent/resources/cgroup.hpp"
#include "agent/resources/gpus.hpp"
#include "core/result.hpp"
#include "net/asio.hpp"
#include "net/worker.hpp"

#include <memory>
#include <optional>
#include <span>
#include <sys/types.h>
#include <vector>

namespace ydl::agent {

// The resources of a machine that an agent shares between its tasks.
class Machine {
 public:
  // Both are created at the first call: most jobs need neither, and nvidia-smi takes a second. Tasks that ask at the
  // same time share one call of nvidia-smi. Errors: those of discover_gpus.
  [[nodiscard]] net::Async<GpuPool*> gpus();
  void release(std::span<const Gpu> gpus);
  [[nodiscard]] Cgroups& cgroups();
  [[nodiscard]] GangFile& gang_file() { return gang_file_; }

  // Runs work that would block the agent's event loop: copies of results, system programs.
  [[nodiscard]] net::Worker& worker() { return worker_; }
  // The same for work that must be done before a task can start. It must not wait behind the results of another task.
  [[nodiscard]] net::Worker& preparer() { return preparer_; }

  // The reapers of running tasks. All other descendants of the agent are leftover processes.
  [[nodiscard]] const std::vector<pid_t>& reapers() const { return reapers_; }
  void add_reaper(pid_t pid);
  void remove_reaper(pid_t pid);

 private:
  struct GpuLook {
    explicit GpuLook(const net::asio::any_io_executor& executor) : ended(executor) {}
    net::Signal ended;
    std::optional<core::Result<>> result;
  };

  std::vector<pid_t> reapers_;
  std::optional<GpuPool> gpus_;
  std::shared_ptr<GpuLook> look_;  // while nvidia-smi runs
  std::optional<Cgroups> cgroups_;
  GangFile gang_file_;
  net::Worker worker_;
  net::Worker preparer_;
};

}  // namespace ydl::agent
