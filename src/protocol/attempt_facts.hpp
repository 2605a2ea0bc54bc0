#pragma once

#include "core/ids.hpp"
#include "protocol/reports.hpp"

#include <map>
#include <vector>

namespace ydl::protocol {

// The facts that a new master needs about the attempts that an agent holds, even if an earlier master received them:
// whether an attempt is prepared, runs, saves its results or has ended, whether it is silent, and its last output.
// Pure.
class AttemptFacts {
 public:
  // An attempt is held from its Prepare to its Release. Reports about other attempts are not kept.
  void hold(const core::AttemptId& attempt) { facts_.try_emplace(attempt); }
  void release(const core::AttemptId& attempt) { facts_.erase(attempt); }
  [[nodiscard]] std::vector<core::AttemptId> held() const;

  void note(const Report& report);
  // Whether restated() contains this report or a later one of its kind.
  [[nodiscard]] bool covers(const Report& report) const;
  // All facts; those of one attempt are in the order in which they were reported.
  [[nodiscard]] std::vector<Report> restated() const;

 private:
  std::map<core::AttemptId, std::vector<Report>> facts_;
};

}  // namespace ydl::protocol
