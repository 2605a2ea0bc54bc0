#pragma once

#include "core/clock.hpp"
#include "protocol/commands.hpp"
#include "protocol/reports.hpp"
#include "yarn/records.hpp"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace ydl::backend {

// How far a container has come with its attempt.
enum class Phase {
  starting,  // asked of its NodeManager; its agent has not reported that all is prepared
  placed,    // the attempt has its host and ports
  launched,  // its task was told to start, and may run
  ended,     // the attempt is over; the container only has to end
};

// A container and the one attempt it is for.
struct AssignedContainer {
  protocol::Prepare request;
  yarn::Container container;
  Phase phase = Phase::starting;
  std::vector<std::string> failures = {};  // why earlier containers of this attempt came to nothing
  core::Instant since = {};                // when the container was granted
  bool is_overdue = false;                 // the job was told that it takes long
  bool has_called = false;                 // its agent has
};

// Which attempts wait for a container, and which has which. Pure.
class ContainerTable {
 public:
  void wait(protocol::Prepare request, std::vector<std::string> failures = {});
  // The attempt of this role that waits longest gets it; nullptr when none waits.
  AssignedContainer* assign(const std::string& role, yarn::Container container, core::Instant now);

  // Whether it was waiting.
  bool stop_waiting(const core::AttemptId& attempt);
  [[nodiscard]] AssignedContainer* find(const core::AttemptId& attempt);  // unless it has ended
  [[nodiscard]] AssignedContainer* find(const yarn::ContainerId& id);
  // Removes it. It must be there.
  AssignedContainer take(const yarn::ContainerId& id);

  [[nodiscard]] std::vector<core::AttemptId> waiting(const std::string& role) const;
  [[nodiscard]] std::map<yarn::ContainerId, AssignedContainer>& assigned() { return assigned_; }

 private:
  struct Waiting {
    protocol::Prepare request;
    std::vector<std::string> failures;
  };
  std::map<std::string, std::deque<Waiting>> waiting_;  // by role
  std::map<yarn::ContainerId, AssignedContainer> assigned_;
  std::map<core::AttemptId, yarn::ContainerId> by_attempt_;  // the newest of each attempt
};

}  // namespace ydl::backend
