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

// How far a container has come with its attempt.
enum class Phase {
  starting,  // asked of its NodeManager; its agent has not reported that all is prepared
  placed,    // the attempt has its host and ports
  launched,  // its task was told to start, and may run
  idle,      // the attempt is over; the next one of its task may be prepared here
  ended,     // the container only has to end
};

// What the end of a container means for its attempt (container_end.hpp).
struct ContainerEnd {
  enum class Meaning {
    nothing,       // the attempt was over before
    try_again,     // not the attempt's fault: it gets another container
    cannot_place,  // the next container would end the same way
    exited,        // the attempt has failed by itself
    lost,          // whatever it did, it is gone
  };
  Meaning meaning = Meaning::nothing;
  std::string reason = {};    // one sentence, with the cluster's own words
  job::ExitStatus exit = {};  // of `exited`
  job::Cause cause = job::Cause::none;
  bool is_the_same_everywhere = false;  // of cannot_place: the host is not to blame
};

// A container is lost to this master, and nobody who could know it has confirmed that its task has ended.
struct UnconfirmedEnd {
  ContainerEnd end;
  bool node_was_lost = false;  // a NodeManager that does not know the container proves nothing
  bool saves_logs = false;     // once it is confirmed
  core::Instant since = {};
  bool is_looked_at = false;
  bool was_seen = false;         // by the last look, at the NodeManager that is asked now
  core::Instant next_look = {};  // at its NodeManager
  bool is_being_revoked = false;
  std::optional<core::Instant> revoked_at = std::nullopt;  // it is written that the agent has to end
  bool is_told = false;                                    // the user was
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
  bool is_adopted = false;                              // an earlier master had started it
  std::optional<UnconfirmedEnd> unconfirmed = {};       // it is lost, and its task may still run
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

  // A container that an earlier master has given to this attempt.
  AssignedContainer& adopt(protocol::Prepare request, yarn::Container container, Phase phase, core::Instant now);

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
