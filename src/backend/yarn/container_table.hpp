#pragma once

#include "core/clock.hpp"
#include "protocol/commands.hpp"
#include "protocol/reports.hpp"
#include "yarn/records.hpp"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ydl::backend {

// How far a container has come with its attempt.
enum class Phase {
  starting,  // asked of its NodeManager; its agent has not reported that all is prepared
  placed,    // the attempt has its host and ports
  launched,  // its task was told to start, and may run
  idle,      // the attempt is over; the next one of its task may be prepared here
  ended,     // the container only has to end
};

// A container and the attempt it is for.
struct AssignedContainer {
  protocol::Prepare request;
  yarn::Container container;
  Phase phase = Phase::starting;
  std::vector<std::string> failures = {};               // why earlier containers failed, of those that count
  std::set<std::string> not_on = {};                    // as in WaitingAttempt
  core::Instant since = {};                             // when the container was granted
  bool is_overdue = false;                              // the job was told that it takes long
  bool has_called = false;                              // its agent has
  std::optional<core::Instant> told_to_shut_down = {};  // its agent was, and nobody has ended the container since
};

// An attempt that has no container.
struct WaitingAttempt {
  protocol::Prepare request;
  std::vector<std::string> failures = {};  // as in AssignedContainer
  std::set<std::string> not_on = {};       // hosts to be left out where others can do it
  core::Instant since = {};
  int refused = 0;  // containers that came on one of these hosts
};

// Which attempts wait for a container, and which has which. Pure.
class ContainerTable {
 public:
  using Accepts = std::function<bool(const WaitingAttempt&)>;

  void wait(WaitingAttempt attempt);
  // Of the attempts of this role that may get it the one that waits longest does; nullptr when there is none.
  AssignedContainer* assign(
      const std::string& role, yarn::Container container, core::Instant now,
      const Accepts& accepts = [](const WaitingAttempt&) { return true; });
  // The container is for this attempt from now on, which is to be prepared in it.
  void hand_over(AssignedContainer& assigned, protocol::Prepare request, core::Instant now);

  // Whether it was waiting.
  bool stop_waiting(const core::AttemptId& attempt);
  [[nodiscard]] AssignedContainer* find(const core::AttemptId& attempt);  // unless it has ended
  [[nodiscard]] AssignedContainer* find(const yarn::ContainerId& id);
  // Removes it. It must be there.
  AssignedContainer take(const yarn::ContainerId& id);

  [[nodiscard]] std::deque<WaitingAttempt>& waiting(const std::string& role) { return waiting_[role]; }
  [[nodiscard]] std::map<yarn::ContainerId, AssignedContainer>& assigned() { return assigned_; }

 private:
  std::map<std::string, std::deque<WaitingAttempt>> waiting_;  // by role
  std::map<yarn::ContainerId, AssignedContainer> assigned_;
  std::map<core::AttemptId, yarn::ContainerId> by_attempt_;  // the newest of each attempt
};

}  // namespace ydl::backend
