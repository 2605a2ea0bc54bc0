#pragma once

#include "core/clock.hpp"
#include "job/types.hpp"
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

// The phase of a container.
enum class Phase {
  starting,  // it was requested from its NodeManager, and its agent has not reported Prepared yet
  placed,    // the attempt is prepared
  launched,  // its task was launched, and may run
  idle,      // the attempt has ended; the next one of its task may be prepared here
  ended,     // only the container itself must still end
};

// What the end of a container means for its attempt (container_end.hpp).
struct ContainerEnd {
  enum class Meaning {
    nothing,       // the attempt had already ended
    try_again,     // the attempt did not cause it and gets another container
    cannot_place,  // the next container would end in the same way
    exited,        // the task itself has failed
    lost,          // the attempt is lost
  };
  Meaning meaning = Meaning::nothing;
  std::string reason = {};    // one sentence, including the cluster's diagnostics
  job::ExitStatus exit = {};  // of `exited`
  job::Cause cause = job::Cause::none;
  bool is_the_same_everywhere = false;  // of cannot_place: the host is not to blame
};

// A container is lost to this master, and it is not confirmed that its task has ended.
struct UnconfirmedEnd {
  ContainerEnd end;
  bool node_was_lost = false;  // then its NodeManager may not list a container that still runs
  bool saves_logs = false;     // to do when the end is confirmed
  core::Instant since = {};
  bool is_looked_at = false;
  bool was_seen = false;         // the last check found it at the same NodeManager
  core::Instant next_look = {};  // when to ask its NodeManager next
  bool is_being_revoked = false;
  std::optional<core::Instant> revoked_at = std::nullopt;  // when it was written to HDFS that the agent must end
  bool is_told = false;                                    // whether the user was told
};

// A container and its attempt.
struct AssignedContainer {
  protocol::Prepare request;
  yarn::Container container;
  Phase phase = Phase::starting;
  std::vector<std::string> failures = {};  // why earlier containers failed, as far as they count
  std::set<std::string> not_on = {};       // as in WaitingAttempt
  core::Instant since = {};                // when the container was allocated
  bool is_overdue = false;                 // it was reported that the start takes long
  bool has_called = false;                 // whether its agent has called
  std::optional<core::Instant> told_to_shut_down =
      {};                   // when its agent was told to shut down, if the container has not ended since
  bool is_adopted = false;  // an earlier master started it
  std::optional<UnconfirmedEnd> unconfirmed = {};  // set if it is lost and its task may still run
};

// An attempt that has no container.
struct WaitingAttempt {
  protocol::Prepare request;
  std::vector<std::string> failures = {};  // as in AssignedContainer
  std::set<std::string> not_on = {};       // hosts to avoid if others can run it
  core::Instant since = {};
  int refused = 0;  // the number of refused containers on these hosts
};

// The attempts that wait for a container, and the containers with their attempts. Pure.
class ContainerTable {
 public:
  using Accepts = std::function<bool(const WaitingAttempt&)>;

  void wait(WaitingAttempt attempt);
  // Assigns the container to the attempt of this role that waits longest and may use it. Returns nullptr if there is
  // none.
  AssignedContainer* assign(
      const std::string& role, yarn::Container container, core::Instant now,
      const Accepts& accepts = [](const WaitingAttempt&) { return true; });
  // Assigns an existing container to the next attempt, which will be prepared in it.
  void hand_over(AssignedContainer& assigned, protocol::Prepare request, core::Instant now);

  // Adds a container that an earlier master has assigned to this attempt.
  AssignedContainer& adopt(protocol::Prepare request, yarn::Container container, Phase phase, core::Instant now);

  // Returns whether it was waiting.
  bool stop_waiting(const core::AttemptId& attempt);
  [[nodiscard]] AssignedContainer* find(const core::AttemptId& attempt);  // unless it has ended
  [[nodiscard]] AssignedContainer* find(const yarn::ContainerId& id);
  // Removes the container, which must be in the table.
  AssignedContainer take(const yarn::ContainerId& id);

  [[nodiscard]] std::deque<WaitingAttempt>& waiting(const std::string& role) { return waiting_[role]; }
  [[nodiscard]] std::map<yarn::ContainerId, AssignedContainer>& assigned() { return assigned_; }

 private:
  std::map<std::string, std::deque<WaitingAttempt>> waiting_;  // by role
  std::map<yarn::ContainerId, AssignedContainer> assigned_;
  std::map<core::AttemptId, yarn::ContainerId> by_attempt_;  // the newest container of each attempt
};

}  // namespace ydl::backend
