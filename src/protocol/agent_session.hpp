#pragma once

#include "protocol/attempt_facts.hpp"
#include "protocol/epoch.hpp"
#include "protocol/numbered_queue.hpp"
#include "protocol/reports.hpp"

#include <vector>

namespace ydl::protocol {

// An agent's side of the two numbered lists. Pure.
//
// An agent never obeys a master of a lower epoch than the highest it has seen: such a master has been replaced, and
// does not know it. With the first message of a higher epoch both lists are numbered afresh. The new master may know
// less than the earlier one: it is told all facts about the attempts that the agent holds, once, and then what the
// earlier one had not confirmed. Answers to the earlier master's questions are dropped.
class AgentSession {
 public:
  // A message of a master has this epoch. Returns false if the message must be ignored.
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
  // The master of `epoch` has all reports up to `seq`. An answer that comes after the epoch has changed means nothing:
  // its numbers are those of the earlier list.
  void confirm(Epoch epoch, Sequence seq);

 private:
  Epoch epoch_{0};  // none was seen yet
  Inbox commands_;
  AttemptFacts facts_;
  Outbox<Report> reports_;
};

}  // namespace ydl::protocol
