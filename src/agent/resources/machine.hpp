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

// What an agent hands out to its tasks.
class Machine {
 public:
  // Looked up when first asked for: most jobs need neither, and nvidia-smi takes a second. Tasks that ask at the same
  // time share one look. Errors: those of discover_gpus.
  [[nodiscard]] net::Async<GpuPool*> gpus();
  void release(std::span<const Gpu> gpus);
  [[nodiscard]] Cgroups& cgroups();
  [[nodiscard]] GangFile& gang_file() { return gang_file_; }

  // Does what would block the agent's loop: copies of results, programs of the system.
  [[nodiscard]] net::Worker& worker() { return worker_; }
  // The same for what a task waits for before it can start: it must not wait behind the results of another.
  [[nodiscard]] net::Worker& preparer() { return preparer_; }

  // The reapers of living tasks: whoever else descends from the agent is a stray.
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
