#pragma once

#include "agent/resources/cgroup.hpp"
#include "agent/resources/gpus.hpp"
#include "agent/resources/held_ports.hpp"
#include "agent/resources/machine.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "net/asio.hpp"
#include "protocol/commands.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ydl::agent {

// The resources of its machine that one task holds. They are released when this object is destroyed.
class TaskResources {
 public:
  TaskResources(Machine& machine, core::AttemptId attempt) : machine_(machine), attempt_(std::move(attempt)) {}
  ~TaskResources();
  TaskResources(const TaskResources&) = delete;
  TaskResources& operator=(const TaskResources&) = delete;

  // Errors: no_capacity; those of discover_gpus.
  [[nodiscard]] net::Async<> take_gpus(int count);
  // `job` names the cgroup. Limits are set if the system allows it. Errors: there are not enough free ports, or one of
  // `same_ports` is taken (std::errc::address_in_use).
  [[nodiscard]] core::Result<void> take_ports_and_limits(const protocol::Prepare& request, const std::string& job);

  [[nodiscard]] const HeldPorts& ports() const { return ports_; }
  [[nodiscard]] const std::vector<Gpu>& gpus() const { return gpus_; }
  [[nodiscard]] const std::optional<TaskCgroup>& cgroup() const { return cgroup_; }

 private:
  Machine& machine_;
  core::AttemptId attempt_;
  HeldPorts ports_;
  std::vector<Gpu> gpus_;
  std::optional<TaskCgroup> cgroup_;
};

}  // namespace ydl::agent
