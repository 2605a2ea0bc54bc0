#pragma once

#include "core/ids.hpp"
#include "protocol/reports.hpp"

#include <map>
#include <vector>

namespace ydl::protocol {

// What a later master has to be told of the attempts that an agent holds, whatever an earlier one was told: that they
// are prepared, run, save their results, or have ended, whether they are silent, and what they last wrote. Pure.
class AttemptFacts {
 public:
  // From an attempt's Prepare to its Release. What is reported about others is not a fact.
  void hold(const core::AttemptId& attempt) { facts_.try_emplace(attempt); }
  void release(const core::AttemptId& attempt) { facts_.erase(attempt); }
  [[nodiscard]] std::vector<core::AttemptId> held() const;

  void note(const Report& report);
  // Whether such a report is restated, or made superfluous by what is.
  [[nodiscard]] bool covers(const Report& report) const;
  // In the order in which each attempt's facts were reported.
  [[nodiscard]] std::vector<Report> restated() const;

 private:
  std::map<core::AttemptId, std::vector<Report>> facts_;
};

}  // namespace ydl::protocol
