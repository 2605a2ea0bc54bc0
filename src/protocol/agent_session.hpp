#pragma once

#include "protocol/attempt_facts.hpp"
#include "protocol/epoch.hpp"
#include "protocol/numbered_queue.hpp"
#include "protocol/reports.hpp"

#include <vector>

namespace ydl::protocol {

// The agent's side of the two numbered lists. Pure.
//
// An agent ignores masters of a lower epoch than the highest one it has seen: such a master has been replaced without
// noticing it. At the first message of a higher epoch the numbers of both lists start again at 1. The new master may
// have fewer facts than the earlier one, so the agent first repeats all facts about the attempts that it holds, and
// then sends the reports that the earlier master had not confirmed. Answers to questions of the earlier master are
// dropped.
class AgentSession {
 public:
  // Called with the epoch of each message. Returns false if the message must be ignored.
  [[nodiscard]] bool accept(Epoch epoch);
  [[nodiscard]] Epoch epoch() const { return epoch_; }

  // Whether the command with this number is new.
  [[nodiscard]] bool accept_command(Sequence seq) { return commands_.accept(seq); }
  [[nodiscard]] Sequence last_command() const { return commands_.last(); }

  // An attempt is held from its Prepare to its Release.
  void hold(const core::AttemptId& attempt) { facts_.hold(attempt); }
  void release(const core::AttemptId& attempt) { facts_.release(attempt); }
  [[nodiscard]] std::vector<core::AttemptId> held() const { return facts_.held(); }

  void push(Report report);
  [[nodiscard]] const Outbox<Report>& reports() const { return reports_; }
  // The master of `epoch` has received all reports up to `seq`. An answer of an earlier epoch is ignored, because its
  // numbers are those of the earlier list.
  void confirm(Epoch epoch, Sequence seq);

 private:
  Epoch epoch_{0};  // 0: no master was seen yet
  Inbox commands_;
  AttemptFacts facts_;
  Outbox<Report> reports_;
};

}  // namespace ydl::protocol
