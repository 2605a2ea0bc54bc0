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

// Information that is read at most once for a look at all tasks.
class LookRound {
 public:
  // Null if the system does not provide it.
  [[nodiscard]] const Listeners* listeners();
  [[nodiscard]] const std::vector<ProcessLink>& processes();

 private:
  std::optional<core::Result<Listeners>> listeners_;
  std::optional<std::vector<ProcessLink>> processes_;
};

// Checks in the first minutes of a task whether the task itself listens on the ports that were held for it.
class PortWatch {
 public:
  void begin(std::vector<std::uint16_t> ports, core::Instant now);
  // Checks again if it is time to. Returns a sentence if another program listens on one of the ports. The processes of
  // the task are the descendants of `reaper`.
  [[nodiscard]] std::optional<std::string> check(LookRound& round, pid_t reaper, core::Instant now);

 private:
  std::vector<std::uint16_t> unchecked_;  // ports on which no process listens yet
  core::Instant next_{};
  core::Instant last_{};
};

}  // namespace ydl::agent
