#pragma once

#include "agent/process/proc_tree.hpp"
#include "agent/resources/port_owner.hpp"
#include "core/clock.hpp"
#include "core/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ydl::agent {

// What a look at all tasks finds out once for all of them, when the first needs it.
class LookRound {
 public:
  // Null when the system does not tell.
  [[nodiscard]] const Listeners* listeners();
  [[nodiscard]] const std::vector<ProcessLink>& processes();

 private:
  std::optional<core::Result<Listeners>> listeners_;
  std::optional<std::vector<ProcessLink>> processes_;
};

// Whether the ports that were held for a task are listened on by it, in the first minutes of its life.
class PortWatch {
 public:
  void begin(std::vector<std::uint16_t> ports, core::Instant now);
  // Looks again if it is time to. Returns a sentence if another program listens on one of the ports. `reaper` is the
  // process whose descendants are the task.
  [[nodiscard]] std::optional<std::string> check(LookRound& round, pid_t reaper, core::Instant now);

 private:
  std::vector<std::uint16_t> unchecked_;  // whose listener was not seen yet
  core::Instant next_{};
  core::Instant last_{};
};

}  // namespace ydl::agent
