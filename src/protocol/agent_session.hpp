#pragma once

#include "protocol/epoch.hpp"
#include "protocol/numbered_queue.hpp"
#include "protocol/reports.hpp"

namespace ydl::protocol {

// An agent's side of the two numbered lists. Pure.
//
// An agent never obeys a master of a lower epoch than the highest it has seen: such a master has been replaced, and
// does not know it. With the first message of a higher epoch both lists are numbered afresh. Reports that the earlier
// master had not confirmed stay, for the new one does not know them either.
class AgentSession {
 public:
  // A message of a master has this epoch. Returns false if the message must be ignored.
  [[nodiscard]] bool accept(Epoch epoch);
  [[nodiscard]] Epoch epoch() const { return epoch_; }

  // Whether the command with this number is new.
  [[nodiscard]] bool accept_command(Sequence seq) { return commands_.accept(seq); }
  [[nodiscard]] Sequence last_command() const { return commands_.last(); }

  void push(Report report) { reports_.push(std::move(report)); }
  [[nodiscard]] const Outbox<Report>& reports() const { return reports_; }
  // The master of `epoch` has all reports up to `seq`. An answer that comes after the epoch has changed means nothing:
  // its numbers are those of the earlier list.
  void confirm(Epoch epoch, Sequence seq);

 private:
  Epoch epoch_{0};  // none was seen yet
  Inbox commands_;
  Outbox<Report> reports_;
};

}  // namespace ydl::protocol
